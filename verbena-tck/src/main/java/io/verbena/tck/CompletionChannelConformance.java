// SPDX-License-Identifier: Apache-2.0
package io.verbena.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.verbs.CompletionChannel;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CompletionQueue.Notification;
import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.SendOpcode;
import io.verbena.verbs.SendWorkRequest;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.WorkCompletionOpcode;
import io.verbena.verbs.WorkCompletionStatus;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Events of completion queues: arming, waiting, acknowledging, and never losing one. */
public abstract class CompletionChannelConformance extends ConformanceTest {
    private static final int SOLICITED = SendWorkRequest.SIGNALED | SendWorkRequest.SOLICITED;

    @Test
    void shouldReportACompletionAfterArming() throws InterruptedException {
        ConnectedPair pair = connectWithChannels();
        Endpoint receiver = pair.target();
        receiver.receiveQueue().requestNotification(Notification.ANY);

        deliver(pair, SendWorkRequest.SIGNALED);

        assertEvent(receiver, receiver.receiveQueue());
        takeReceive(receiver);
    }

    @Test
    void shouldReportSendCompletionsToo() throws InterruptedException {
        ConnectedPair pair = connectWithChannels();
        Endpoint sender = pair.initiator();
        sender.sendQueue().requestNotification(Notification.ANY);

        pair.target().postReceive(1, 0, 8);
        sender.postSend(2, 0, 8);

        assertEvent(sender, sender.sendQueue());
        sender.awaitSend().assertSuccess(WorkCompletionOpcode.SEND);
    }

    @Test
    void shouldReportOnlyOnceUntilArmedAgain() throws InterruptedException {
        ConnectedPair pair = connectWithChannels();
        Endpoint receiver = pair.target();
        receiver.receiveQueue().requestNotification(Notification.ANY);
        deliver(pair, SendWorkRequest.SIGNALED);
        assertEvent(receiver, receiver.receiveQueue());

        deliver(pair, SendWorkRequest.SIGNALED);
        assertNoEvent(receiver);

        takeReceive(receiver);
        takeReceive(receiver);
        receiver.receiveQueue().requestNotification(Notification.ANY);
        deliver(pair, SendWorkRequest.SIGNALED);
        assertEvent(receiver, receiver.receiveQueue());
    }

    @Test
    void shouldNotReportUnlessArmed() throws InterruptedException {
        ConnectedPair pair = connectWithChannels();

        deliver(pair, SOLICITED);

        assertNoEvent(pair.target());
        takeReceive(pair.target());
    }

    @Test
    void shouldNotReportWhatCameBeforeArming() throws InterruptedException {
        ConnectedPair pair = connectWithChannels();
        Endpoint receiver = pair.target();
        deliver(pair, SOLICITED);

        receiver.receiveQueue().requestNotification(Notification.ANY);

        assertNoEvent(receiver);
        takeReceive(receiver);
        deliver(pair, SendWorkRequest.SIGNALED);
        assertEvent(receiver, receiver.receiveQueue());
    }

    @Test
    void shouldWakeForSolicitedReceivesOnlyIfSoArmed() throws InterruptedException {
        ConnectedPair pair = connectWithChannels();
        Endpoint receiver = pair.target();
        receiver.receiveQueue().requestNotification(Notification.SOLICITED);

        deliver(pair, SendWorkRequest.SIGNALED);
        assertNoEvent(receiver);

        deliver(pair, SOLICITED);
        assertEvent(receiver, receiver.receiveQueue());
        takeReceive(receiver);
        takeReceive(receiver);
    }

    @Test
    void shouldWakeForSolicitedWritesWithImmediate() throws InterruptedException {
        ConnectedPair pair = connectWithChannels();
        Endpoint sender = pair.initiator();
        Endpoint receiver = pair.target();
        receiver.receiveQueue().requestNotification(Notification.SOLICITED);
        receiver.postReceive(1, 0, 8);

        sender.post(
                sender.request(SendOpcode.RDMA_WRITE_WITH_IMMEDIATE, 2)
                        .remote(receiver.region().address(), receiver.region().rkey())
                        .element(sender.region(), 0, 8)
                        .flags(SOLICITED));

        assertEvent(receiver, receiver.receiveQueue());
    }

    @Test
    void shouldWakeForFailuresIfArmedForSolicited() throws InterruptedException {
        ConnectedPair pair = connectWithChannels();
        Endpoint receiver = pair.target();
        receiver.postReceive(1, 0, 8);
        receiver.receiveQueue().requestNotification(Notification.SOLICITED);

        receiver.fail();

        assertEvent(receiver, receiver.receiveQueue());
        receiver.awaitReceive().assertStatus(WorkCompletionStatus.WORK_REQUEST_FLUSHED);
    }

    @Test
    void shouldWakeForFailedSendsIfArmedForSolicited() throws InterruptedException {
        assumeNo(Quirk.SOLICITED_ONLY_FLUSHED_ERRORS);
        ConnectedPair pair = connectWithChannels();
        Endpoint sender = pair.initiator();
        sender.sendQueue().requestNotification(Notification.SOLICITED);

        // No region has key zero, so the target refuses the request.
        sender.post(
                sender.request(SendOpcode.RDMA_WRITE, 1)
                        .remote(pair.target().region().address(), 0)
                        .element(sender.region(), 0, 8));

        assertEvent(sender, sender.sendQueue());
        sender.awaitSend().assertStatus(WorkCompletionStatus.REMOTE_ACCESS);
    }

    @Test
    void shouldNotWakeForSendsIfArmedForSolicited() throws InterruptedException {
        ConnectedPair pair = connectWithChannels();
        Endpoint sender = pair.initiator();
        sender.sendQueue().requestNotification(Notification.SOLICITED);

        pair.target().postReceive(1, 0, 8);
        sender.post(
                sender.request(SendOpcode.SEND, 2).element(sender.region(), 0, 8).flags(SOLICITED));
        pair.target().awaitReceive().assertSuccess(WorkCompletionOpcode.RECEIVE);

        assertNoEvent(sender);
        sender.awaitSend().assertSuccess(WorkCompletionOpcode.SEND);
    }

    @Test
    void shouldWidenSolicitedToAny() throws InterruptedException {
        ConnectedPair pair = connectWithChannels();
        Endpoint receiver = pair.target();
        receiver.receiveQueue().requestNotification(Notification.SOLICITED);
        receiver.receiveQueue().requestNotification(Notification.ANY);

        deliver(pair, SendWorkRequest.SIGNALED);

        assertEvent(receiver, receiver.receiveQueue());
    }

    @Test
    void shouldNotNarrowAnyToSolicited() throws InterruptedException {
        ConnectedPair pair = connectWithChannels();
        Endpoint receiver = pair.target();
        receiver.receiveQueue().requestNotification(Notification.ANY);
        receiver.receiveQueue().requestNotification(Notification.SOLICITED);

        deliver(pair, SendWorkRequest.SIGNALED);

        assertEvent(receiver, receiver.receiveQueue());
    }

    @ParameterizedTest
    @EnumSource
    void shouldMakeOneEventHoweverOftenArmed(Notification notification)
            throws InterruptedException {
        ConnectedPair pair = connectWithChannels();
        Endpoint receiver = pair.target();
        receiver.receiveQueue().requestNotification(notification);
        receiver.receiveQueue().requestNotification(notification);

        deliver(pair, SOLICITED);
        deliver(pair, SOLICITED);

        assertEvent(receiver, receiver.receiveQueue());
        assertNoEvent(receiver);
    }

    @Test
    void shouldReturnTheQueueThatHasTheEvent() throws InterruptedException {
        ConnectedPair pair = connectWithChannels();
        Endpoint endpoint = pair.target();
        endpoint.sendQueue().requestNotification(Notification.ANY);
        endpoint.receiveQueue().requestNotification(Notification.ANY);

        deliver(pair, SendWorkRequest.SIGNALED);
        assertEvent(endpoint, endpoint.receiveQueue());

        pair.initiator().postReceive(1, 0, 8);
        endpoint.postSend(2, 0, 8);
        assertEvent(endpoint, endpoint.sendQueue());
        assertNoEvent(endpoint);
    }

    @Test
    void shouldReturnAtOnceWithTimeoutZero() throws InterruptedException {
        CompletionChannel channel = closing(fixture().openInitiator()).createCompletionChannel();
        long start = System.nanoTime();

        assertThat(channel.awaitEvent(Duration.ZERO)).isEmpty();

        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(20));
    }

    @Test
    void shouldReturnAPendingEventWithTimeoutZero() throws InterruptedException {
        ConnectedPair pair = connectWithChannels();
        Endpoint receiver = pair.target();
        receiver.receiveQueue().requestNotification(Notification.ANY);
        deliver(pair, SendWorkRequest.SIGNALED);
        CompletionChannel channel = receiver.channel().orElseThrow();

        // The event may come a little after the completion: check for it without blocking.
        Optional<CompletionQueue> event = channel.awaitEvent(Duration.ZERO);
        long start = System.nanoTime();
        while (event.isEmpty() && System.nanoTime() - start < fixture().patience().toNanos()) {
            Thread.yield();
            event = channel.awaitEvent(Duration.ZERO);
        }

        assertThat(event).contains(receiver.receiveQueue());
        receiver.receiveQueue().acknowledgeEvents(1);
    }

    @Test
    void shouldWaitAsLongAsTheTimeout() throws InterruptedException {
        CompletionChannel channel = closing(fixture().openInitiator()).createCompletionChannel();
        long start = System.nanoTime();

        assertThat(channel.awaitEvent(Duration.ofMillis(50))).isEmpty();

        assertThat(Duration.ofNanos(System.nanoTime() - start))
                .isBetween(Duration.ofMillis(49), Duration.ofSeconds(5));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldEndTheWaitOnInterrupt(boolean virtual) throws InterruptedException {
        CompletionChannel channel = closing(fixture().openInitiator()).createCompletionChannel();

        InterruptProbe.assertInterruptible(virtual, channel::awaitEvent, fixture().patience());
        InterruptProbe.assertInterruptible(
                virtual, () -> channel.awaitEvent(Duration.ofMinutes(5)), fixture().patience());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, -1, Integer.MAX_VALUE})
    void shouldRefuseToAcknowledgeMoreThanWasTaken(int count) {
        DeviceContext context = closing(fixture().openInitiator());
        CompletionQueue queue =
                context.createCompletionQueue(4, context.createCompletionChannel(), 0);

        assertThatThrownBy(() -> queue.acknowledgeEvents(count))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("count: " + count);
        queue.acknowledgeEvents(0);
    }

    @Test
    void shouldRefuseToAcknowledgeTwice() throws InterruptedException {
        ConnectedPair pair = connectWithChannels();
        Endpoint receiver = pair.target();
        receiver.receiveQueue().requestNotification(Notification.ANY);
        deliver(pair, SendWorkRequest.SIGNALED);
        assertEvent(receiver, receiver.receiveQueue());

        assertThatThrownBy(() -> receiver.receiveQueue().acknowledgeEvents(1))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void shouldCloseWithUnacknowledgedEvents() throws InterruptedException {
        ConnectedPair pair = connectWithChannels();
        Endpoint receiver = pair.target();
        CompletionChannel channel = receiver.channel().orElseThrow();
        receiver.receiveQueue().requestNotification(Notification.ANY);
        deliver(pair, SendWorkRequest.SIGNALED);
        assertThat(channel.awaitEvent(fixture().patience())).contains(receiver.receiveQueue());

        Thread closer =
                Thread.ofPlatform()
                        .name("tck-closer")
                        .daemon()
                        .start(
                                () -> {
                                    receiver.queuePair().close();
                                    receiver.receiveQueue().close();
                                    channel.close();
                                });

        assertThat(closer.join(fixture().patience())).as("closed in time").isTrue();
    }

    @Test
    void shouldRefuseToArmWithoutAChannel() {
        CompletionQueue queue = closing(fixture().openInitiator()).createCompletionQueue(4);

        assertThatThrownBy(() -> queue.requestNotification(Notification.ANY))
                .isInstanceOfAny(IllegalStateException.class, VerbsException.class)
                .hasMessageContaining("channel");
    }

    private ConnectedPair connectWithChannels() {
        return closing(pair().both(EndpointBuilder::channel).connect());
    }

    /** Sends a message and returns when the target's receive has completed but not been polled. */
    private static void deliver(ConnectedPair pair, int flags) {
        Endpoint sender = pair.initiator();
        pair.target().postReceive(1, 0, 8);
        sender.post(sender.request(SendOpcode.SEND, 2).element(sender.region(), 0, 8).flags(flags));
        sender.awaitSend().assertSuccess(WorkCompletionOpcode.SEND);
    }

    private static void takeReceive(Endpoint receiver) {
        receiver.awaitReceive().assertSuccess(WorkCompletionOpcode.RECEIVE);
    }

    private void assertEvent(Endpoint endpoint, CompletionQueue expected)
            throws InterruptedException {
        Optional<CompletionQueue> event =
                endpoint.channel().orElseThrow().awaitEvent(fixture().patience());
        assertThat(event).isPresent();
        assertThat(event.get()).isSameAs(expected);
        expected.acknowledgeEvents(1);
    }

    private static void assertNoEvent(Endpoint endpoint) throws InterruptedException {
        assertThat(endpoint.channel().orElseThrow().awaitEvent(Silence.SHORT)).isEmpty();
    }
}
