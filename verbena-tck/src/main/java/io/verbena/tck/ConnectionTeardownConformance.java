// SPDX-License-Identifier: Apache-2.0
package io.verbena.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.verbena.tck.Dialog.Line;
import io.verbena.verbs.ConnectionEvent;
import io.verbena.verbs.ConnectionEventType;
import io.verbena.verbs.ConnectionIdentifier;
import io.verbena.verbs.ConnectionParameters;
import io.verbena.verbs.EventChannel;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.WorkCompletionStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The end of connections: disconnecting, closing at every stage, many connections in a row. */
public abstract class ConnectionTeardownConformance extends ConformanceTest {
    private static final Set<ConnectionEventType> FAILED =
            Set.of(
                    ConnectionEventType.REJECTED,
                    ConnectionEventType.UNREACHABLE,
                    ConnectionEventType.CONNECT_ERROR,
                    ConnectionEventType.DISCONNECTED);

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldReportDisconnectOnceToEachSide(boolean byActive) throws InterruptedException {
        Dialog dialog = closing(new Dialog(fixture()));
        Line line = dialog.establish();

        (byActive ? line.active() : line.passive()).disconnect();

        assertBothDisconnected(dialog, line);
    }

    @Test
    void shouldReportDisconnectOnceWhenBothSidesEndAtOnce() throws InterruptedException {
        Dialog dialog = closing(new Dialog(fixture()));
        Line line = dialog.establish();

        together(List.of(line.active()::disconnect, line.passive()::disconnect));

        assertBothDisconnected(dialog, line);
    }

    @Test
    void shouldIgnoreASecondDisconnect() throws InterruptedException {
        Dialog dialog = closing(new Dialog(fixture()));
        Line line = dialog.establish();

        line.active().disconnect();
        line.active().disconnect();
        assertBothDisconnected(dialog, line);
        line.active().disconnect();
        line.passive().disconnect();

        dialog.client().assertNoEvent();
        dialog.server().assertNoEvent();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldFlushPostedReceivesAtDisconnect(boolean byActive) throws InterruptedException {
        Dialog dialog = closing(new Dialog(fixture()));
        Line line = dialog.establish();
        dialog.exchange(line);

        (byActive ? line.active() : line.passive()).disconnect();
        dialog.client().expect(ConnectionEventType.DISCONNECTED);
        dialog.server().expect(ConnectionEventType.DISCONNECTED);

        Dialog.expectFlush(dialog.client(), 2);
        Dialog.expectFlush(dialog.server(), 2);
        assertThat(line.activePair().state()).isEqualTo(QueuePairState.ERROR);
        assertThat(line.passivePair().state()).isEqualTo(QueuePairState.ERROR);
    }

    @Test
    void shouldFlushWhatIsPostedAfterDisconnect() throws InterruptedException {
        Dialog dialog = closing(new Dialog(fixture()));
        Line line = dialog.establish();
        line.active().disconnect();
        dialog.client().expect(ConnectionEventType.DISCONNECTED);
        Dialog.expectFlush(dialog.client(), 1);

        dialog.client().postSend(line.activePair(), 50);
        assertFlushed(dialog.client(), 50);
        dialog.client().postReceive(line.activePair(), 51);
        if (!has(Quirk.RECEIVE_POSTED_IN_ERROR_STAYS)) {
            assertFlushed(dialog.client(), 51);
        }
    }

    @Test
    void shouldTellTheClientWhenTheListenerClosesWithItsRequestWaiting()
            throws InterruptedException {
        Dialog dialog = closing(new Dialog(fixture()));
        ConnectionIdentifier active = dialog.startConnect(ConnectionParameters.DEFAULT);

        dialog.listener().close();

        ConnectionEvent event = dialog.client().next();
        assertThat(event.type()).isIn(FAILED);
        assertThat(event.identifier()).isSameAs(active);
    }

    @Test
    void shouldLeaveATakenRequestAloneWhenTheListenerCloses() throws InterruptedException {
        Dialog dialog = closing(new Dialog(fixture()));
        Line line = dialog.request(ConnectionParameters.DEFAULT);

        dialog.listener().close();
        line.passive().accept(ConnectionParameters.DEFAULT);

        dialog.client().expect(ConnectionEventType.ESTABLISHED);
        dialog.server().expect(ConnectionEventType.ESTABLISHED);
        dialog.exchange(line);
    }

    @Test
    void shouldTellTheClientWhenItsRequestIsClosedUnanswered() throws InterruptedException {
        Dialog dialog = closing(new Dialog(fixture()));
        Line line = dialog.request(ConnectionParameters.DEFAULT);

        line.passive().close();

        assertThat(dialog.client().next().type()).isIn(FAILED);
    }

    @Test
    void shouldTellTheServerWhenTheClientGivesUp() throws InterruptedException {
        Dialog dialog = closing(new Dialog(fixture()));
        Line line = dialog.request(ConnectionParameters.DEFAULT);

        line.active().close();
        Throwable failure =
                catchThrowable(() -> line.passive().accept(ConnectionParameters.DEFAULT));

        if (failure == null) {
            assertEndsInFailure(dialog.server());
        } else {
            assertThat(failure).isInstanceOfAny(VerbsException.class, IllegalStateException.class);
        }
    }

    @Test
    void shouldTellTheClientWhenTheServerClosesRightAfterAccepting() throws InterruptedException {
        Dialog dialog = closing(new Dialog(fixture()));
        Line line = dialog.request(ConnectionParameters.DEFAULT);

        line.passive().accept(ConnectionParameters.DEFAULT);
        line.passive().close();

        assertEndsInFailure(dialog.client());
    }

    /** How one side of an established connection ends it without disconnecting. */
    enum Ending {
        IDENTIFIER {
            @Override
            void end(ConnectionEnd end, ConnectionIdentifier identifier) {
                identifier.close();
            }
        },
        CHANNEL {
            @Override
            void end(ConnectionEnd end, ConnectionIdentifier identifier) {
                end.channel().close();
            }
        },
        CONTEXT {
            @Override
            void end(ConnectionEnd end, ConnectionIdentifier identifier) {
                end.context().close();
            }
        };

        abstract void end(ConnectionEnd end, ConnectionIdentifier identifier);
    }

    @ParameterizedTest
    @EnumSource
    void shouldTellTheServerWhenTheClientIsClosed(Ending ending) throws InterruptedException {
        Dialog dialog = closing(new Dialog(fixture()));
        Line line = dialog.establish();

        ending.end(dialog.client(), line.active());

        assertEvent(dialog.server(), line.passive());
        Dialog.expectFlush(dialog.server(), 1);
    }

    @ParameterizedTest
    @EnumSource
    void shouldTellTheClientWhenTheServerIsClosed(Ending ending) throws InterruptedException {
        Dialog dialog = closing(new Dialog(fixture()));
        Line line = dialog.establish();

        ending.end(dialog.server(), line.passive());

        assertEvent(dialog.client(), line.active());
        Dialog.expectFlush(dialog.client(), 1);
    }

    @Test
    void shouldCloseAnIdentifierAtEveryEarlyStage() throws InterruptedException {
        Dialog dialog = closing(new Dialog(fixture()));
        ConnectionEnd client = dialog.client();

        client.channel().createIdentifier().close();
        ConnectionIdentifier bound = client.channel().createIdentifier();
        bound.bind(client.anyPort());
        bound.close();
        ConnectionIdentifier resolving = client.channel().createIdentifier();
        resolving.resolveAddress(
                dialog.listener().localAddress().orElseThrow(), fixture().patience());
        resolving.close();
        dialog.prepareActive().close();

        client.assertNoEvent();
        dialog.server().assertNoEvent();
        dialog.exchange(dialog.establish());
    }

    @Test
    void shouldTakeEventsAlongWhenMigrating() throws InterruptedException {
        Dialog dialog = closing(new Dialog(fixture()));
        ConnectionEnd server = dialog.server();
        Line line = dialog.request(ConnectionParameters.DEFAULT);
        line.passive().accept(ConnectionParameters.DEFAULT);
        dialog.client().expect(ConnectionEventType.ESTABLISHED);
        EventChannel before = server.channel();

        line.passive().migrate(server.changeChannel());

        server.expect(ConnectionEventType.ESTABLISHED);
        line.active().disconnect();
        server.expect(ConnectionEventType.DISCONNECTED);
        assertThat(before.awaitEvent(Silence.SHORT)).isEmpty();
    }

    @Test
    void shouldOutliveTheChannelItMigratedFrom() throws InterruptedException {
        Dialog dialog = closing(new Dialog(fixture()));
        Line line = dialog.establish();
        EventChannel before = dialog.server().channel();
        line.passive().migrate(dialog.server().changeChannel());

        before.close();

        dialog.client().assertNoEvent();
        dialog.exchange(line);
    }

    @Test
    void shouldLeaveNothingBehindAfterManyConnections() throws InterruptedException {
        Dialog dialog = closing(new Dialog(fixture()));
        for (int i = 0; i < 10; i++) {
            connectAndClose(dialog);
        }
        ProcessUse before = ProcessUse.now();

        for (int i = 0; i < 200; i++) {
            connectAndClose(dialog);
        }

        ProcessUse.assertReturnsTo(before, fixture().patience());
    }

    private static void connectAndClose(Dialog dialog) throws InterruptedException {
        Line line = dialog.establish();
        dialog.exchange(line);
        line.active().close();
        dialog.server().expect(ConnectionEventType.DISCONNECTED);
        line.passive().close();
        // The flushed receives must not fill the queues.
        while (dialog.client().poll().isPresent() || dialog.server().poll().isPresent()) {
            Thread.onSpinWait();
        }
    }

    @Test
    void shouldTakeFiftyConnectionsAtOnce() throws InterruptedException {
        int count = 50;
        Dialog dialog = closing(new Dialog(fixture()));
        ConnectionIdentifier listener = dialog.server().listen(count);
        List<Task> tasks = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            tasks.add(() -> connectAlone(dialog.client(), listener));
        }
        tasks.add(() -> acceptAll(dialog.server(), count));

        together(tasks);
    }

    private void connectAlone(ConnectionEnd client, ConnectionIdentifier listener)
            throws InterruptedException {
        EventChannel channel = client.context().createEventChannel();
        ConnectionIdentifier identifier = channel.createIdentifier();
        identifier.resolveAddress(listener.localAddress().orElseThrow(), fixture().patience());
        expect(channel, ConnectionEventType.ADDRESS_RESOLVED);
        client.createQueuePair(identifier);
        identifier.resolveRoute(fixture().patience());
        expect(channel, ConnectionEventType.ROUTE_RESOLVED);
        identifier.connect(ConnectionParameters.DEFAULT);
        expect(channel, ConnectionEventType.ESTABLISHED);
        assertThat(identifier.queuePair().orElseThrow().state())
                .isEqualTo(QueuePairState.READY_TO_SEND);
    }

    private void expect(EventChannel channel, ConnectionEventType type)
            throws InterruptedException {
        assertThat(channel.awaitEvent(fixture().patience()).map(ConnectionEvent::type))
                .contains(type);
    }

    private static void acceptAll(ConnectionEnd server, int count) throws InterruptedException {
        int requests = 0;
        int established = 0;
        while (established < count) {
            ConnectionEvent event = server.next();
            if (event.type() == ConnectionEventType.CONNECT_REQUEST) {
                requests++;
                server.createQueuePair(event.identifier());
                event.identifier().accept(ConnectionParameters.DEFAULT);
            } else {
                assertThat(event.type()).isEqualTo(ConnectionEventType.ESTABLISHED);
                established++;
            }
        }
        assertThat(requests).isEqualTo(count);
    }

    private static void assertBothDisconnected(Dialog dialog, Line line)
            throws InterruptedException {
        assertEvent(dialog.client(), line.active());
        assertEvent(dialog.server(), line.passive());
    }

    private static void assertEvent(ConnectionEnd end, ConnectionIdentifier identifier)
            throws InterruptedException {
        ConnectionEvent event = end.expect(ConnectionEventType.DISCONNECTED);
        assertThat(event.identifier()).isSameAs(identifier);
        end.assertNoEvent();
    }

    private static void assertEndsInFailure(ConnectionEnd end) throws InterruptedException {
        ConnectionEvent event = end.next();
        if (event.type() == ConnectionEventType.ESTABLISHED) {
            event = end.next();
        }
        assertThat(event.type()).isIn(FAILED);
    }

    private static void assertFlushed(ConnectionEnd end, long id) {
        end.awaitCompletion().assertId(id).assertStatus(WorkCompletionStatus.WORK_REQUEST_FLUSHED);
    }
}
