// SPDX-License-Identifier: Apache-2.0
package io.verbena.tck;

import static io.verbena.verbs.QueuePairState.ERROR;
import static io.verbena.verbs.QueuePairState.INIT;
import static io.verbena.verbs.QueuePairState.READY_TO_RECEIVE;
import static io.verbena.verbs.QueuePairState.READY_TO_SEND;
import static io.verbena.verbs.QueuePairState.RESET;
import static io.verbena.verbs.QueuePairState.SEND_QUEUE_DRAINED;

import io.verbena.verbs.QueuePairAttributes.Attribute;
import io.verbena.verbs.QueuePairState;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;

/**
 * A legal transition of a reliable connected queue pair. Written from the specification, not from
 * the library's own table, so that a mistake in one shows up against the other.
 *
 * @param from the state before
 * @param to the state after
 * @param required attributes without which it must fail
 * @param optional attributes it may also take
 */
record TransitionRule(
        QueuePairState from, QueuePairState to, Set<Attribute> required, Set<Attribute> optional) {
    private static final List<QueuePairState> REACHABLE =
            List.of(RESET, INIT, READY_TO_RECEIVE, READY_TO_SEND, SEND_QUEUE_DRAINED, ERROR);
    private static final Set<Attribute> WHILE_SENDING =
            Set.of(Attribute.CURRENT_STATE, Attribute.ACCESS, Attribute.MIN_RNR_TIMER);

    /** {@return every legal transition} */
    static List<TransitionRule> all() {
        List<TransitionRule> rules = new ArrayList<>(ways());
        for (QueuePairState from : REACHABLE) {
            rules.add(new TransitionRule(from, RESET, Set.of(), Set.of()));
            if (from != RESET) {
                rules.add(new TransitionRule(from, ERROR, Set.of(), Set.of()));
            }
        }
        return rules;
    }

    private static List<TransitionRule> ways() {
        Set<Attribute> local = Set.of(Attribute.PKEY_INDEX, Attribute.PORT, Attribute.ACCESS);
        return List.of(
                new TransitionRule(RESET, INIT, local, Set.of()),
                new TransitionRule(INIT, INIT, Set.of(), local),
                new TransitionRule(
                        INIT,
                        READY_TO_RECEIVE,
                        Set.of(
                                Attribute.PATH,
                                Attribute.PATH_MTU,
                                Attribute.DESTINATION,
                                Attribute.RECEIVE_PSN,
                                Attribute.MAX_DESTINATION_READ_ATOMIC,
                                Attribute.MIN_RNR_TIMER),
                        Set.of(Attribute.ACCESS, Attribute.PKEY_INDEX)),
                new TransitionRule(
                        READY_TO_RECEIVE,
                        READY_TO_SEND,
                        Set.of(
                                Attribute.TIMEOUT,
                                Attribute.RETRY_COUNT,
                                Attribute.RNR_RETRY,
                                Attribute.SEND_PSN,
                                Attribute.MAX_READ_ATOMIC),
                        WHILE_SENDING),
                new TransitionRule(READY_TO_SEND, READY_TO_SEND, Set.of(), WHILE_SENDING),
                new TransitionRule(
                        READY_TO_SEND,
                        SEND_QUEUE_DRAINED,
                        Set.of(),
                        Set.of(Attribute.DRAIN_NOTIFICATION)),
                new TransitionRule(
                        SEND_QUEUE_DRAINED,
                        SEND_QUEUE_DRAINED,
                        Set.of(),
                        Set.of(
                                Attribute.PORT,
                                Attribute.PATH,
                                Attribute.TIMEOUT,
                                Attribute.RETRY_COUNT,
                                Attribute.RNR_RETRY,
                                Attribute.MAX_READ_ATOMIC,
                                Attribute.MAX_DESTINATION_READ_ATOMIC,
                                Attribute.ACCESS,
                                Attribute.PKEY_INDEX,
                                Attribute.MIN_RNR_TIMER)),
                new TransitionRule(SEND_QUEUE_DRAINED, READY_TO_SEND, Set.of(), WHILE_SENDING));
    }

    /** {@return every pair of states that is not a legal transition} */
    static Stream<Arguments> illegal() {
        List<TransitionRule> rules = all();
        return REACHABLE.stream()
                .flatMap(
                        from ->
                                Stream.of(QueuePairState.values())
                                        .map(to -> Arguments.of(from, to)))
                .filter(pair -> rules.stream().noneMatch(rule -> rule.joins(pair.get())));
    }

    private boolean joins(Object[] pair) {
        return from == pair[0] && to == pair[1];
    }

    /** {@return the rule for a legal transition} */
    static TransitionRule of(QueuePairState from, QueuePairState to) {
        return all().stream()
                .filter(rule -> rule.from == from && rule.to == to)
                .findFirst()
                .orElseThrow(() -> new AssertionError("no rule " + from + " -> " + to));
    }

    /** {@return whether an attribute may be given} */
    boolean takes(Attribute attribute) {
        return attribute == Attribute.STATE
                || required.contains(attribute)
                || optional.contains(attribute);
    }

    @Override
    public String toString() {
        return from + " -> " + to;
    }
}
