// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft.cm;

import static io.verbena.verbs.ConnectionEventType.CONNECT_REQUEST;
import static io.verbena.verbs.ConnectionEventType.DISCONNECTED;
import static io.verbena.verbs.ConnectionEventType.ESTABLISHED;
import static io.verbena.verbs.ConnectionEventType.REJECTED;
import static io.verbena.verbs.ConnectionEventType.UNREACHABLE;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.testing.ChildJvm;
import io.verbena.verbs.ConnectionEvent;
import io.verbena.verbs.ConnectionIdentifier;
import io.verbena.verbs.ConnectionListener;
import io.verbena.verbs.ConnectionParameters;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.Devices;
import io.verbena.verbs.Errno;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.QueuePairState;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A listener in another process, which answers or is killed. */
abstract class TwoProcessScenarios extends ConnectionSteps {
    /**
     * {@return the folder of a device without a data path; an empty string for the software device}
     */
    abstract String folder();

    @Test
    void shouldConnectToAnotherProcess() throws IOException, InterruptedException {
        try (ChildJvm child = ChildJvm.start(Child.class, folder(), "accept")) {
            ConnectionIdentifier client = caller(active, address(child));
            client.connect(ConnectionParameters.DEFAULT.withPrivateData(new byte[] {1, 2}));

            ConnectionEvent established = expect(active, ESTABLISHED);
            assertThat(established.parameters().privateData()).containsExactly(1, 2);
            assertThat(child.line()).isEqualTo("established");
            client.disconnect();

            expect(active, DISCONNECTED);
            assertThat(child.line()).isEqualTo("Optional[DISCONNECTED]");
            child.finish();
        }
    }

    @Test
    void shouldLearnOfADeathAtOnce() throws InterruptedException {
        try (ChildJvm child = ChildJvm.start(Child.class, folder(), "accept")) {
            ConnectionIdentifier client = caller(active, address(child));
            client.connect(ConnectionParameters.DEFAULT);
            expect(active, ESTABLISHED);

            child.kill();

            expect(active, DISCONNECTED);
            assertThat(client.queuePair().map(QueuePair::state)).contains(QueuePairState.ERROR);
        }
    }

    @Test
    void shouldTakeOverThePortOfTheDead() throws InterruptedException {
        try (ChildJvm child = ChildJvm.start(Child.class, folder(), "ignore")) {
            InetSocketAddress address = address(child);
            ConnectionIdentifier waiting = caller(active, address);
            waiting.connect(ConnectionParameters.DEFAULT);
            assertThat(child.line()).isEqualTo("requested");
            ConnectionIdentifier heir = passive.createIdentifier();
            assertErrno(Errno.EADDRINUSE, () -> heir.bind(address), "port: ");

            child.kill();

            assertThat(expect(active, UNREACHABLE).status()).isEqualTo(-Errno.ECONNRESET);
            ConnectionIdentifier early = caller(active, address);
            early.connect(ConnectionParameters.DEFAULT);
            assertThat(expect(active, REJECTED).status()).isEqualTo(8);
            heir.bind(address);
            heir.listen(1);
            caller(active, address).connect(ConnectionParameters.DEFAULT);
            expect(passive, CONNECT_REQUEST);
        }
    }

    private static InetSocketAddress address(ChildJvm child) throws InterruptedException {
        return loopback(Integer.parseInt(child.line()));
    }

    /** The other process. */
    static final class Child {
        private static final PrintStream OUT = System.out;
        private static final Duration WAIT = Duration.ofSeconds(20);

        public static void main(String[] arguments) throws IOException, InterruptedException {
            try (DeviceContext context = open(arguments[0]);
                    ConnectionListener listener =
                            ConnectionListener.listen(context, new InetSocketAddress(0), 1)) {
                OUT.println(listener.localAddress().getPort());
                try (ConnectionRequest request = listener.awaitRequest()) {
                    if (arguments[1].equals("accept")) {
                        accept(context, request);
                    } else {
                        OUT.println("requested");
                    }
                    // Stays until the parent ends it.
                    System.in.transferTo(PrintStream.nullOutputStream());
                }
            }
        }

        private static DeviceContext open(String folder) {
            return folder.isEmpty()
                    ? Devices.open("soft0")
                    : new RecordingContext(Path.of(folder), CmTimeouts.DEFAULT);
        }

        private static void accept(DeviceContext context, ConnectionRequest request)
                throws InterruptedException {
            request.createQueuePair(
                    context.allocateProtectionDomain(),
                    QueuePairOptions.of(context.createCompletionQueue(100)));
            request.accept(request.offered(), WAIT);
            OUT.println("established");
            Optional<ConnectionEvent> end = request.awaitEvent(WAIT);
            OUT.println(end.map(ConnectionEvent::type));
        }
    }
}
