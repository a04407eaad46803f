// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.spi;

import static io.verbena.verbs.QueuePairState.ERROR;
import static io.verbena.verbs.QueuePairState.INIT;
import static io.verbena.verbs.QueuePairState.READY_TO_RECEIVE;
import static io.verbena.verbs.QueuePairState.READY_TO_SEND;
import static io.verbena.verbs.QueuePairState.RESET;
import static io.verbena.verbs.QueuePairState.SEND_QUEUE_DRAINED;

import io.verbena.verbs.Errno;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairAttributes.Attribute;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.VerbsException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** The legal state transitions of a reliable connected queue pair, with the attributes of each. */
public final class QueuePairTransitions {
    private record Transition(
            QueuePairState from,
            QueuePairState to,
            Set<Attribute> required,
            Set<Attribute> optional) {}

    private static final Set<Attribute> NONE = EnumSet.noneOf(Attribute.class);
    private static final List<Transition> TABLE =
            List.of(
                    new Transition(
                            RESET,
                            INIT,
                            EnumSet.of(Attribute.PKEY_INDEX, Attribute.PORT, Attribute.ACCESS),
                            NONE),
                    new Transition(
                            INIT,
                            INIT,
                            NONE,
                            EnumSet.of(Attribute.PKEY_INDEX, Attribute.PORT, Attribute.ACCESS)),
                    new Transition(
                            INIT,
                            READY_TO_RECEIVE,
                            EnumSet.of(
                                    Attribute.PATH,
                                    Attribute.PATH_MTU,
                                    Attribute.DESTINATION,
                                    Attribute.RECEIVE_PSN,
                                    Attribute.MAX_DESTINATION_READ_ATOMIC,
                                    Attribute.MIN_RNR_TIMER),
                            EnumSet.of(Attribute.ACCESS, Attribute.PKEY_INDEX)),
                    new Transition(
                            READY_TO_RECEIVE,
                            READY_TO_SEND,
                            EnumSet.of(
                                    Attribute.TIMEOUT,
                                    Attribute.RETRY_COUNT,
                                    Attribute.RNR_RETRY,
                                    Attribute.SEND_PSN,
                                    Attribute.MAX_READ_ATOMIC),
                            EnumSet.of(
                                    Attribute.CURRENT_STATE,
                                    Attribute.ACCESS,
                                    Attribute.MIN_RNR_TIMER)),
                    new Transition(
                            READY_TO_SEND,
                            READY_TO_SEND,
                            NONE,
                            EnumSet.of(
                                    Attribute.CURRENT_STATE,
                                    Attribute.ACCESS,
                                    Attribute.MIN_RNR_TIMER)),
                    new Transition(
                            READY_TO_SEND,
                            SEND_QUEUE_DRAINED,
                            NONE,
                            EnumSet.of(Attribute.DRAIN_NOTIFICATION)),
                    new Transition(
                            SEND_QUEUE_DRAINED,
                            SEND_QUEUE_DRAINED,
                            NONE,
                            EnumSet.of(
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
                    new Transition(
                            SEND_QUEUE_DRAINED,
                            READY_TO_SEND,
                            NONE,
                            EnumSet.of(
                                    Attribute.CURRENT_STATE,
                                    Attribute.ACCESS,
                                    Attribute.MIN_RNR_TIMER)));

    private QueuePairTransitions() {}

    /**
     * Checks a change of a queue pair.
     *
     * @param current the state it is in
     * @param attributes what to set
     * @return the state it will be in
     * @throws VerbsException with EINVAL; the message names what is wrong
     */
    public static QueuePairState check(QueuePairState current, QueuePairAttributes attributes) {
        Set<Attribute> given = attributes.given();
        QueuePairState target = given.contains(Attribute.STATE) ? attributes.state() : current;
        if (given.contains(Attribute.CURRENT_STATE) && attributes.currentState() != current) {
            throw invalid(
                    "current state: " + attributes.currentState() + " (expected: " + current + ")");
        }
        Transition transition = find(current, target);
        for (Attribute attribute : transition.required()) {
            if (!given.contains(attribute)) {
                throw invalid(current + " -> " + target + " needs attribute " + attribute);
            }
        }
        for (Attribute attribute : given) {
            if (attribute != Attribute.STATE
                    && !transition.required().contains(attribute)
                    && !transition.optional().contains(attribute)) {
                throw invalid(current + " -> " + target + " does not take attribute " + attribute);
            }
        }
        return target;
    }

    private static Transition find(QueuePairState from, QueuePairState to) {
        if (to == RESET || to == ERROR && from != RESET) {
            return new Transition(from, to, NONE, NONE);
        }
        List<QueuePairState> possible = new ArrayList<>(List.of(RESET));
        for (Transition transition : TABLE) {
            if (transition.from() == from && transition.to() == to) {
                return transition;
            }
            if (transition.from() == from) {
                possible.add(transition.to());
            }
        }
        if (from != RESET) {
            possible.add(ERROR);
        }
        throw invalid(from + " -> " + to + " is not a transition (expected: " + possible + ")");
    }

    private static VerbsException invalid(String detail) {
        return new VerbsException("ibv_modify_qp", Errno.EINVAL, detail);
    }
}
