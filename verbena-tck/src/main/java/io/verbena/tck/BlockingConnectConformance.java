// SPDX-License-Identifier: Apache-2.0
package io.verbena.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.verbena.verbs.ConnectionEvent;
import io.verbena.verbs.ConnectionEventType;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.ConnectionListener;
import io.verbena.verbs.ConnectionParameters;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.Connector;
import io.verbena.verbs.Errno;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.WorkCompletionOpcode;
import io.verbena.verbs.WorkCompletionStatus;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Connecting with blocking calls: connector, listener, request. */
public abstract class BlockingConnectConformance extends ConformanceTest {
    @Test
    void shouldConnectAndMoveData() throws InterruptedException {
        ConnectionEnd client = client();
        ConnectionEnd server = server();
        ConnectionListener listener = listen(server, 4);
        Connector connector = connector(client, listener);
        QueuePair active = connector.createQueuePair(client.domain(), client.options());
        client.postReceive(active, 1);

        together(
                List.of(
                        () -> {
                            ConnectionParameters answer =
                                    connector.connect(withData(new byte[] {1, 2, 3}));
                            assertThat(answer.privateData()).startsWith(4, 5);
                            client.postSend(active, 2);
                            takeBoth(client);
                        },
                        () -> {
                            ConnectionRequest request = closing(listener.awaitRequest());
                            assertThat(request.offered().privateData()).startsWith(1, 2, 3);
                            QueuePair passive =
                                    request.createQueuePair(server.domain(), server.options());
                            server.postReceive(passive, 1);
                            request.accept(withData(new byte[] {4, 5}), fixture().patience());
                            server.postSend(passive, 2);
                            takeBoth(server);
                        }));

        assertThat(active.state()).isEqualTo(QueuePairState.READY_TO_SEND);
    }

    @Test
    void shouldReportDisconnectToTheOtherSide() throws InterruptedException {
        ConnectionEnd client = client();
        ConnectionEnd server = server();
        ConnectionListener listener = listen(server, 4);
        Connector connector = connector(client, listener);
        connector.createQueuePair(client.domain(), client.options());
        List<ConnectionRequest> requests = Collections.synchronizedList(new ArrayList<>());
        together(
                List.of(
                        () -> connector.connect(ConnectionParameters.DEFAULT),
                        () -> requests.add(accept(server, listener))));

        connector.close();

        Optional<ConnectionEvent> event = requests.getFirst().awaitEvent(fixture().patience());
        assertThat(event.map(ConnectionEvent::type)).contains(ConnectionEventType.DISCONNECTED);
    }

    @Test
    void shouldThrowWithTheDataOfARefusal() throws InterruptedException {
        ConnectionEnd client = client();
        ConnectionListener listener = listen(server(), 4);
        Connector connector = connector(client, listener);
        connector.createQueuePair(client.domain(), client.options());
        byte[] reason = {9, 8, 7};

        together(
                List.of(
                        () -> listener.awaitRequest().reject(reason),
                        () -> {
                            ConnectionException failure =
                                    assertConnectFails(connector, ConnectionException.class);
                            assertThat(failure.errno()).isEqualTo(Errno.ECONNREFUSED);
                            ConnectionEvent event = failure.event();
                            assertThat(event.type()).isEqualTo(ConnectionEventType.REJECTED);
                            assertThat(event.status())
                                    .isEqualTo(ConnectionEvent.REJECTED_BY_CONSUMER);
                            assertThat(event.parameters().privateData()).startsWith(reason);
                        }));
    }

    @Test
    void shouldThrowWhenNobodyListens() throws InterruptedException {
        ConnectionEnd client = client();
        ConnectionListener listener = listen(server(), 4);
        Connector connector = connector(client, listener);
        connector.createQueuePair(client.domain(), client.options());
        listener.close();

        ConnectionException failure = assertConnectFails(connector, ConnectionException.class);

        assertThat(failure.errno()).isIn(Errno.ECONNREFUSED, Errno.EHOSTUNREACH, Errno.ETIMEDOUT);
        assertThat(failure.event().type())
                .isIn(ConnectionEventType.REJECTED, ConnectionEventType.UNREACHABLE);
    }

    @Test
    void shouldThrowWhenTheAnswerDoesNotComeInTime() throws InterruptedException {
        ConnectionEnd client = client();
        ConnectionListener listener = listen(server(), 4);
        Connector connector =
                closing(
                        Connector.resolve(
                                client.context(), listener.localAddress(), Duration.ofMillis(700)));
        connector.createQueuePair(client.domain(), client.options());

        VerbsException failure = assertConnectFails(connector, VerbsException.class);

        assertThat(failure.errno()).isEqualTo(Errno.ETIMEDOUT);
        assertThat(failure).hasMessageContaining("700 ms");
    }

    @Test
    void shouldReturnNothingWhenNoRequestComesInTime() throws InterruptedException {
        ConnectionListener listener = listen(server(), 4);
        long start = System.nanoTime();

        assertThat(listener.awaitRequest(Duration.ofMillis(50))).isEmpty();

        assertThat(Duration.ofNanos(System.nanoTime() - start))
                .isBetween(Duration.ofMillis(49), Duration.ofSeconds(5));
    }

    @Test
    void shouldSayWhichPortItGot() {
        ConnectionListener listener = listen(server(), 1);

        assertThat(listener.localAddress().getPort()).isBetween(1, 65535);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldEndTheWaitForRequestsOnInterrupt(boolean virtual) throws InterruptedException {
        ConnectionListener listener = listen(server(), 4);

        InterruptProbe.assertInterruptible(virtual, listener::awaitRequest, fixture().patience());
        InterruptProbe.assertInterruptible(
                virtual, () -> listener.awaitRequest(Duration.ofMinutes(5)), fixture().patience());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldEndTheWaitForRequestsWhenClosed(boolean virtual) throws InterruptedException {
        ConnectionListener listener = listen(server(), 4);

        CloseRace.assertCloseWakes(
                virtual, listener::awaitRequest, listener::close, fixture().patience());
    }

    @Test
    void shouldEndAConnectOnInterrupt() throws InterruptedException {
        ConnectionEnd client = client();
        ConnectionListener listener = listen(server(), 4);
        List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
        CountDownLatch connecting = new CountDownLatch(1);
        Thread thread =
                Thread.ofVirtual()
                        .name("tck-connecting")
                        .start(
                                () -> {
                                    try {
                                        Connector connector = connector(client, listener);
                                        connector.createQueuePair(
                                                client.domain(), client.options());
                                        connecting.countDown();
                                        connector.connect(ConnectionParameters.DEFAULT);
                                    } catch (Exception | Error e) {
                                        connecting.countDown();
                                        failures.add(e);
                                    }
                                });
        assertThat(connecting.await(fixture().patience().toMillis(), TimeUnit.MILLISECONDS))
                .isTrue();
        InterruptProbe.awaitBlocked(thread, fixture().patience());

        thread.interrupt();

        assertThat(thread.join(fixture().patience())).isTrue();
        assertThat(failures).hasSize(1);
        assertThat(failures.getFirst()).isInstanceOf(InterruptedException.class);
    }

    @Test
    void shouldConnectAHundredVirtualThreadsAtOnce() throws InterruptedException {
        int count = 100;
        ConnectionEnd client = client();
        ConnectionEnd server = server();
        ConnectionListener listener = listen(server, count);
        List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
        List<Thread> threads = new ArrayList<>();
        // Two takers show that requests may be awaited from several threads.
        for (int i = 0; i < 2; i++) {
            threads.add(virtually(failures, () -> acceptSome(server, listener, count / 2)));
        }
        for (int i = 0; i < count; i++) {
            byte number = (byte) i;
            threads.add(virtually(failures, () -> connectAndCheck(client, listener, number)));
        }
        Duration limit = fixture().patience().multipliedBy(3);
        for (Thread thread : threads) {
            assertThat(thread.join(limit)).as("%s ended; failures %s", thread, failures).isTrue();
        }

        assertThat(failures).isEmpty();
    }

    private static Thread virtually(List<Throwable> failures, Task task) {
        return Thread.ofVirtual()
                .name("tck-connection")
                .start(
                        () -> {
                            try {
                                task.run();
                            } catch (Exception | Error e) {
                                failures.add(e);
                            }
                        });
    }

    /** Answers each request with its own data, so that mixed-up connections are noticed. */
    private void acceptSome(ConnectionEnd server, ConnectionListener listener, int count)
            throws InterruptedException {
        for (int i = 0; i < count; i++) {
            ConnectionRequest request = listener.awaitRequest();
            byte[] data = Arrays.copyOf(request.offered().privateData(), 1);
            request.createQueuePair(server.domain(), server.options());
            request.accept(withData(data), fixture().patience());
        }
    }

    private void connectAndCheck(ConnectionEnd client, ConnectionListener listener, byte number)
            throws InterruptedException {
        Connector connector =
                Connector.resolve(
                        client.context(),
                        listener.localAddress(),
                        fixture().patience().multipliedBy(2));
        QueuePair pair = connector.createQueuePair(client.domain(), client.options());
        ConnectionParameters answer = connector.connect(withData(new byte[] {number}));
        assertThat(answer.privateData()).startsWith(number);
        assertThat(pair.state()).isEqualTo(QueuePairState.READY_TO_SEND);
    }

    private ConnectionRequest accept(ConnectionEnd server, ConnectionListener listener)
            throws InterruptedException {
        ConnectionRequest request = listener.awaitRequest();
        request.createQueuePair(server.domain(), server.options());
        request.accept(ConnectionParameters.DEFAULT, fixture().patience());
        return request;
    }

    private ConnectionEnd client() {
        return closing(new ConnectionEnd(fixture(), fixture().openInitiator()));
    }

    private ConnectionEnd server() {
        return closing(new ConnectionEnd(fixture(), fixture().openTarget()));
    }

    private ConnectionListener listen(ConnectionEnd server, int backlog) {
        return closing(
                ConnectionListener.listen(
                        server.context(), new InetSocketAddress(fixture().address(), 0), backlog));
    }

    private Connector connector(ConnectionEnd client, ConnectionListener listener)
            throws InterruptedException {
        return closing(
                Connector.resolve(client.context(), listener.localAddress(), fixture().patience()));
    }

    private static <T extends Throwable> T assertConnectFails(Connector connector, Class<T> type) {
        T failure =
                catchThrowableOfType(type, () -> connector.connect(ConnectionParameters.DEFAULT));
        assertThat(failure).as("a " + type.getSimpleName()).isNotNull();
        return failure;
    }

    private static ConnectionParameters withData(byte[] data) {
        return ConnectionParameters.DEFAULT.withPrivateData(data);
    }

    /** Takes the receive and the send completion of one side, in either order. */
    private static void takeBoth(ConnectionEnd end) {
        List<WorkCompletionOpcode> opcodes = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            Completion completion = end.awaitCompletion();
            completion.assertStatus(WorkCompletionStatus.SUCCESS);
            opcodes.add(completion.opcode());
        }
        assertThat(opcodes)
                .containsExactlyInAnyOrder(WorkCompletionOpcode.RECEIVE, WorkCompletionOpcode.SEND);
    }
}
