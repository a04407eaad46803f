// SPDX-License-Identifier: Apache-2.0
package io.verbena.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.verbena.verbs.AccessFlag;
import io.verbena.verbs.AsyncEvent;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.ConnectionSettings;
import io.verbena.verbs.Errno;
import io.verbena.verbs.Gid;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairAddress;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairAttributes.Attribute;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.SendOpcode;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.WorkCompletionOpcode;
import io.verbena.verbs.WorkCompletionStatus;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The states of a queue pair, the transitions between them, and what each of them does. */
public abstract class StateMachineConformance extends ConformanceTest {
    private static final String RULES = "io.verbena.tck.TransitionRule#all";
    private static final int LENGTH = 64;

    @ParameterizedTest(name = "{0}")
    @MethodSource(RULES)
    void shouldTakeTransitionWithRequiredAttributesOnly(TransitionRule rule) {
        ConnectedPair pair = closing(pair().build());
        StateWalk walk = reach(pair, rule.from());

        pair.initiator().queuePair().modify(walk.attributes(rule, rule.required()));

        assertState(pair, rule.to());
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource(RULES)
    void shouldTakeTransitionWithEveryOptionalAttribute(TransitionRule rule) {
        ConnectedPair pair = closing(pair().build());
        StateWalk walk = reach(pair, rule.from());
        Set<Attribute> given = EnumSet.noneOf(Attribute.class);
        given.addAll(rule.required());
        given.addAll(rule.optional());

        pair.initiator().queuePair().modify(walk.attributes(rule, given));

        assertState(pair, rule.to());
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource(RULES)
    void shouldNameTheMissingAttribute(TransitionRule rule) {
        ConnectedPair pair = closing(pair().build());
        StateWalk walk = reach(pair, rule.from());
        QueuePair queuePair = pair.initiator().queuePair();

        for (Attribute missing : rule.required()) {
            Set<Attribute> given = EnumSet.copyOf(rule.required());
            given.remove(missing);

            VerbsException failure =
                    assertRefused(() -> queuePair.modify(walk.attributes(rule, given)));

            assertThat(failure).hasMessageContaining(missing.name());
            assertState(pair, rule.from());
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource(RULES)
    void shouldNameTheAttributeThatDoesNotBelong(TransitionRule rule) {
        ConnectedPair pair = closing(pair().build());
        StateWalk walk = reach(pair, rule.from());
        QueuePair queuePair = pair.initiator().queuePair();

        for (Attribute foreign : Attribute.values()) {
            if (!rule.takes(foreign)) {
                QueuePairAttributes attributes = walk.attributes(rule, rule.required());
                walk.give(attributes, foreign);

                VerbsException failure = assertRefused(() -> queuePair.modify(attributes));

                assertThat(failure).hasMessageContaining(foreign.name());
                assertState(pair, rule.from());
            }
        }
    }

    @ParameterizedTest(name = "{0} -> {1}")
    @MethodSource("io.verbena.tck.TransitionRule#illegal")
    void shouldRefuseIllegalTransition(QueuePairState from, QueuePairState to) {
        ConnectedPair pair = closing(pair().build());
        reach(pair, from);

        VerbsException failure =
                assertRefused(
                        () -> pair.initiator().queuePair().modify(QueuePairAttributes.to(to)));

        assertThat(failure).hasMessageContaining(from.name()).hasMessageContaining(to.name());
        assertState(pair, from);
    }

    @ParameterizedTest
    @EnumSource(names = {"READY_TO_RECEIVE", "READY_TO_SEND", "SEND_QUEUE_DRAINED"})
    void shouldRefuseWrongCurrentState(QueuePairState state) {
        ConnectedPair pair = closing(pair().build());
        StateWalk walk = reach(pair, state);
        TransitionRule rule = TransitionRule.of(state, QueuePairState.READY_TO_SEND);
        QueuePairAttributes attributes =
                walk.attributes(rule, rule.required()).currentState(QueuePairState.INIT);

        VerbsException failure =
                assertRefused(() -> pair.initiator().queuePair().modify(attributes));

        assertThat(failure).hasMessageContaining("INIT").hasMessageContaining(state.name());
        assertState(pair, state);
    }

    @Test
    void shouldStartInReset() {
        ConnectedPair pair = closing(pair().build());

        assertState(pair, QueuePairState.RESET);
    }

    @ParameterizedTest
    @EnumSource(names = {"RESET", "INIT", "READY_TO_RECEIVE"})
    void shouldRefuseSendsBeforeReadyToSend(QueuePairState state) {
        ConnectedPair pair = closing(pair().build());
        reach(pair, state);

        VerbsException failure = assertRefused(() -> pair.initiator().postSend(1, 0, LENGTH));

        assertThat(failure).hasMessageContaining(state.name());
        Silence.ofCompletions(pair.initiator(), Silence.SHORT);
    }

    @Test
    void shouldRefuseReceivesInReset() {
        ConnectedPair pair = closing(pair().build());

        VerbsException failure = assertRefused(() -> pair.initiator().postReceive(1, 0, LENGTH));

        assertThat(failure).hasMessageContaining("RESET");
    }

    @ParameterizedTest
    @EnumSource(names = {"INIT", "READY_TO_RECEIVE", "READY_TO_SEND", "SEND_QUEUE_DRAINED"})
    void shouldFlushReceivesInOrderWhenMovedToError(QueuePairState from) {
        ConnectedPair pair = closing(pair().build());
        reach(pair, from);
        Endpoint endpoint = pair.initiator();
        for (int id = 1; id <= 4; id++) {
            endpoint.postReceive(id, 0, LENGTH);
        }

        endpoint.fail();

        assertState(pair, QueuePairState.ERROR);
        for (int id = 1; id <= 4; id++) {
            endpoint.awaitReceive()
                    .assertId(id)
                    .assertStatus(WorkCompletionStatus.WORK_REQUEST_FLUSHED);
        }
        Silence.ofCompletions(endpoint, Silence.SHORT);
    }

    @Test
    void shouldDropEverythingOnResetAndConnectAgain() {
        ConnectedPair pair = closing(pair().both(e -> e.settings(s -> s.withTimeout(0))).build());
        Endpoint first = pair.initiator();
        Endpoint second = pair.target();
        new StateWalk(second, first).reach(QueuePairState.INIT);
        first.connect(second.address(), first.activeMtu());
        Pattern.fill(first.memory(0, LENGTH), 1);
        // The peer is not ready, so these sends stay outstanding.
        first.postReceive(1, 0, LENGTH);
        first.postReceive(2, 0, LENGTH);
        first.postSend(3, 0, LENGTH);
        first.postSend(4, 0, LENGTH);

        first.queuePair().modify(QueuePairAttributes.to(QueuePairState.RESET));
        second.queuePair().modify(QueuePairAttributes.to(QueuePairState.RESET));

        assertState(pair, QueuePairState.RESET);
        Silence.ofCompletions(first, Silence.SHORT);
        pair.connect();
        Pattern.fill(first.memory(0, LENGTH), 2);
        exchange(first, second);
        Pattern.verify(second.memory(LENGTH, LENGTH), 2);
        exchange(second, first);
        Silence.ofCompletions(first, Silence.SHORT);
        Silence.ofCompletions(second, Silence.SHORT);
    }

    @Test
    void shouldWorkAgainAfterErrorAndReset() {
        ConnectedPair pair = connect();
        pair.initiator().fail();
        pair.target().fail();

        pair.initiator().queuePair().modify(QueuePairAttributes.to(QueuePairState.RESET));
        pair.target().queuePair().modify(QueuePairAttributes.to(QueuePairState.RESET));
        pair.connect();

        exchange(pair.initiator(), pair.target());
        exchange(pair.target(), pair.initiator());
    }

    @Test
    void shouldHoldSendsBackWhileDrained() {
        ConnectedPair pair = connect();
        Endpoint drained = pair.initiator();
        Endpoint peer = pair.target();
        peer.postReceive(1, LENGTH, LENGTH);
        drained.queuePair().modify(QueuePairAttributes.to(QueuePairState.SEND_QUEUE_DRAINED));

        drained.postSend(2, 0, LENGTH);
        Silence.ofCompletions(drained, Silence.SHORT);
        Silence.ofCompletions(peer, Silence.SHORT);
        drained.queuePair().modify(QueuePairAttributes.to(QueuePairState.READY_TO_SEND));
        if (has(Quirk.HELD_SENDS_WAIT_FOR_THE_NEXT_POST)) {
            drained.post(drained.request(SendOpcode.RDMA_WRITE, 3).remote(0, 0).elementCount(0));
        }

        peer.awaitReceive().assertSuccess(WorkCompletionOpcode.RECEIVE).assertId(1);
        drained.awaitSend().assertSuccess(WorkCompletionOpcode.SEND).assertId(2);
    }

    @Test
    void shouldServeThePeerWhileDrained() {
        ConnectedPair pair = connect();
        pair.initiator()
                .queuePair()
                .modify(QueuePairAttributes.to(QueuePairState.SEND_QUEUE_DRAINED));

        exchange(pair.target(), pair.initiator());

        assertState(pair, QueuePairState.SEND_QUEUE_DRAINED);
    }

    @Test
    void shouldReportTheDrainIfAskedTo() throws InterruptedException {
        ConnectedPair pair = connect();
        Endpoint drained = pair.initiator();

        drained.queuePair()
                .modify(
                        QueuePairAttributes.to(QueuePairState.SEND_QUEUE_DRAINED)
                                .drainNotification(true));

        Optional<AsyncEvent> event = drained.context().awaitAsyncEvent(fixture().patience());
        assertThat(event).isPresent();
        assertThat(event.get().type()).isEqualTo(AsyncEventType.SEND_QUEUE_DRAINED);
        assertThat(event.get().queuePair()).contains(drained.queuePair());
    }

    @Test
    void shouldNotReportTheDrainUnasked() throws InterruptedException {
        assumeNo(Quirk.DRAIN_ALWAYS_REPORTED);
        ConnectedPair pair = connect();
        Endpoint drained = pair.initiator();

        drained.queuePair().modify(QueuePairAttributes.to(QueuePairState.SEND_QUEUE_DRAINED));

        assertThat(drained.context().awaitAsyncEvent(Silence.SHORT)).isEmpty();
    }

    @Test
    void shouldReturnWhatWasSet() {
        ConnectedPair pair = closing(pair().build());
        Endpoint endpoint = pair.initiator();
        Endpoint peer = pair.target();
        new StateWalk(endpoint, peer).reach(QueuePairState.READY_TO_SEND);

        QueuePairAttributes answer = endpoint.queuePair().query();

        assertThat(answer.state()).isEqualTo(QueuePairState.READY_TO_SEND);
        assertThat(answer.port()).isEqualTo(1);
        assertThat(answer.pkeyIndex()).isZero();
        assertThat(AccessFlag.of(answer.access())).contains(StateWalk.ACCESS);
        assertThat(AccessFlag.of(answer.access())).doesNotContain(AccessFlag.REMOTE_ATOMIC);
        assertThat(answer.destinationGid()).isEqualTo(peer.address().gid());
        assertThat(answer.sourceGidIndex()).isEqualTo(endpoint.settings().gidIndex());
        assertThat(answer.destination()).isEqualTo(peer.queuePair().number());
        assertThat(answer.pathMtu()).isEqualTo(endpoint.activeMtu());
        assertThat(answer.receivePacketSequenceNumber())
                .isEqualTo(peer.settings().sendPacketSequenceNumber());
        assertThat(answer.sendPacketSequenceNumber())
                .isEqualTo(endpoint.settings().sendPacketSequenceNumber());
        assertThat(answer.timeout()).isEqualTo(14);
        assertThat(answer.retryCount()).isEqualTo(3);
        assertThat(answer.rnrRetry()).isEqualTo(6);
        assertThat(answer.minRnrTimer()).isEqualTo(12);
        assertThat(answer.maxReadAtomic()).isEqualTo(1);
        assertThat(answer.maxDestinationReadAtomic()).isEqualTo(1);
    }

    @Test
    void shouldReturnWhatWasChangedLater() {
        ConnectedPair pair = connect();
        QueuePair queuePair = pair.initiator().queuePair();

        queuePair.modify(
                QueuePairAttributes.unchanged().access(AccessFlag.REMOTE_READ).minRnrTimer(20));

        QueuePairAttributes answer = queuePair.query();
        assertThat(AccessFlag.of(answer.access())).contains(AccessFlag.REMOTE_READ);
        assertThat(AccessFlag.of(answer.access())).doesNotContain(AccessFlag.REMOTE_WRITE);
        assertThat(answer.minRnrTimer()).isEqualTo(20);
        assertThat(answer.state()).isEqualTo(QueuePairState.READY_TO_SEND);
    }

    @Test
    void shouldRefuseToConnectToAnotherHost() {
        ConnectedPair pair = closing(pair().build());
        Endpoint endpoint = pair.initiator();
        Assumptions.assumeFalse(
                endpoint.context().device().isHardware(), "the device reaches other hosts");
        QueuePairAddress known = pair.target().address();
        Gid foreign = new Gid(known.gid().high() ^ 0x5a5a_a5a5L, known.gid().low());
        QueuePairAddress address =
                new QueuePairAddress(foreign, 0, known.number(), known.packetSequenceNumber());

        VerbsException failure =
                catchThrowableOfType(
                        VerbsException.class,
                        () -> endpoint.connect(address, endpoint.activeMtu()));

        assertThat(failure).as("a VerbsException").isNotNull();
        assertThat(failure.errno()).as(failure.getMessage()).isEqualTo(Errno.EHOSTUNREACH);
        assertThat(failure).hasMessageContaining(foreign.toString());
        assertState(pair, QueuePairState.INIT);
    }

    @Test
    void shouldDeliverOnceThePeerIsReady() {
        // 6 retries of 537 ms: ample time for the peer, even on a busy machine.
        ConnectedPair pair =
                closing(
                        pair().both(e -> e.settings(s -> s.withTimeout(17).withRetries(6, 7, 12)))
                                .build());
        Endpoint sender = pair.initiator();
        Endpoint late = pair.target();
        new StateWalk(late, sender).reach(QueuePairState.INIT);
        late.postReceive(1, LENGTH, LENGTH);
        sender.connect(late.address(), sender.activeMtu());
        Pattern.fill(sender.memory(0, LENGTH), 3);

        sender.postSend(2, 0, LENGTH);
        Silence.ofCompletions(sender, Silence.SHORT);
        Silence.ofCompletions(late, Silence.SHORT);
        late.connect(sender.address(), late.activeMtu());

        late.awaitReceive()
                .assertSuccess(WorkCompletionOpcode.RECEIVE)
                .assertId(1)
                .assertLength(LENGTH);
        sender.awaitSend().assertSuccess(WorkCompletionOpcode.SEND).assertId(2);
        Pattern.verify(late.memory(LENGTH, LENGTH), 3);
    }

    @Test
    void shouldGiveUpWhenThePeerNeverBecomesReady() {
        ConnectedPair pair = closing(impatient().build());
        Endpoint sender = pair.initiator();
        new StateWalk(pair.target(), sender).reach(QueuePairState.INIT);
        sender.connect(pair.target().address(), sender.activeMtu());

        assertGivesUp(sender);
    }

    @Test
    void shouldGiveUpWhenThePeerDoesNotExist() {
        ConnectedPair pair = closing(impatient().build());
        Endpoint sender = pair.initiator();
        Endpoint other = pair.target();
        QueuePair gone = other.domain().createQueuePair(QueuePairOptions.of(other.receiveQueue()));
        QueuePairAddress address =
                new QueuePairAddress(
                        other.address().gid(), other.address().lid(), gone.number(), 0);
        gone.close();
        sender.connect(address, sender.activeMtu());

        assertGivesUp(sender);
    }

    @Test
    void shouldGiveUpAfterSevenRetries() {
        ConnectedPair pair = halfConnected(s -> s.withTimeout(8).withRetries(7, 7, 12));
        Endpoint sender = pair.initiator();

        sender.postSend(1, 0, LENGTH);

        if (has(Quirk.RETRY_COUNT_SEVEN_IS_INFINITE)) {
            Silence.ofCompletions(sender, Duration.ofSeconds(1));
            assertState(pair, QueuePairState.READY_TO_SEND);
        } else {
            sender.awaitSend().assertStatus(WorkCompletionStatus.RETRY_EXCEEDED).assertId(1);
        }
    }

    @Test
    void shouldWaitForEverWithTimeoutZero() {
        ConnectedPair pair = halfConnected(s -> s.withTimeout(0).withRetries(0, 0, 12));
        Endpoint sender = pair.initiator();

        sender.postSend(1, 0, LENGTH);

        Silence.ofCompletions(sender, Duration.ofMillis(500));
        assertState(pair, QueuePairState.READY_TO_SEND);
    }

    /** {@return a pair whose initiator is connected to a target that is not ready yet} */
    private ConnectedPair halfConnected(UnaryOperator<ConnectionSettings> settings) {
        ConnectedPair pair = closing(pair().initiator(e -> e.settings(settings)).build());
        Endpoint sender = pair.initiator();
        new StateWalk(pair.target(), sender).reach(QueuePairState.INIT);
        sender.connect(pair.target().address(), sender.activeMtu());
        return pair;
    }

    /** Two tries of 4.2 ms each. */
    private ConnectedPair.Builder impatient() {
        return pair().initiator(e -> e.settings(s -> s.withTimeout(10).withRetries(1, 7, 12)));
    }

    private static void assertGivesUp(Endpoint sender) {
        long start = System.nanoTime();
        sender.postSend(1, 0, LENGTH);
        sender.postSend(2, 0, LENGTH);

        sender.awaitSend().assertStatus(WorkCompletionStatus.RETRY_EXCEEDED).assertId(1);
        Duration elapsed = Duration.ofNanos(System.nanoTime() - start);
        sender.awaitSend().assertStatus(WorkCompletionStatus.WORK_REQUEST_FLUSHED).assertId(2);
        sender.awaitState(QueuePairState.ERROR);

        // Devices round the timeout, but none may give up before one timeout has passed.
        assertThat(elapsed).isBetween(Duration.ofMillis(4), Duration.ofSeconds(20));
    }

    private static StateWalk reach(ConnectedPair pair, QueuePairState state) {
        StateWalk walk = new StateWalk(pair.initiator(), pair.target());
        walk.reach(state);
        return walk;
    }

    private static void exchange(Endpoint from, Endpoint to) {
        to.postReceive(101, LENGTH, LENGTH);
        from.postSend(102, 0, LENGTH);
        to.awaitReceive()
                .assertSuccess(WorkCompletionOpcode.RECEIVE)
                .assertId(101)
                .assertLength(LENGTH);
        from.awaitSend().assertSuccess(WorkCompletionOpcode.SEND).assertId(102);
    }

    private static void assertState(ConnectedPair pair, QueuePairState expected) {
        assertThat(pair.initiator().queuePair().state()).isEqualTo(expected);
        assertThat(pair.initiator().queuePair().query().state()).isEqualTo(expected);
    }

    private static VerbsException assertRefused(ThrowingCallable action) {
        VerbsException failure = catchThrowableOfType(VerbsException.class, action);
        assertThat(failure).as("a VerbsException").isNotNull();
        assertThat(failure.errno()).as(failure.getMessage()).isEqualTo(Errno.EINVAL);
        return failure;
    }
}
