// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.rpc.test.EchoRequest;
import io.verbena.rpc.test.EchoResponse;
import io.verbena.transport.SocketMode;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** How long a call takes that no server answers in time, not even the second one. */
@Tag("quiet")
class BackupDeadlineTest {
    /** Answers when told to. */
    private static final class Silent extends EchoServices.Echo {
        private final CountDownLatch release;

        Silent(CountDownLatch release) {
            this.release = release;
        }

        @Override
        public void echo(
                ServerController controller, EchoRequest request, Consumer<EchoResponse> done) {
            try {
                assertThat(release.await(20, TimeUnit.SECONDS)).isTrue();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            super.echo(controller, request, done);
        }
    }

    /** The backup connects late in the call; what was before that is the call's own time. */
    @Test
    void shouldOnlyAddTheTimeOfConnecting() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        try (RpcFixture fixture = new RpcFixture(SocketMode.TCP)) {
            List<String> addresses = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                Server server =
                        fixture.closing(
                                new Server(fixture.serverSide.node)
                                        .add(new Silent(release))
                                        .start(RpcFixture.anyPort(), ServerOptions.DEFAULT));
                addresses.add(RpcFixture.addressOf(server));
            }
            Channel channel =
                    fixture.closing(
                            Channel.open(
                                    fixture.clientSide.node,
                                    "list://" + String.join(",", addresses),
                                    "rr",
                                    RpcFixture.PATIENT
                                            .withTimeoutMs(2_000)
                                            .withBackupRequestMs(1_800)));
            ClientController controller = channel.controller();
            long start = System.nanoTime();
            EchoCalls.echo(channel, controller, "x");
            long tookMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
            release.countDown();

            assertThat(controller.errorCode()).isEqualTo(RpcError.ERPCTIMEDOUT.code());
            assertThat(controller.hasBackupRequest()).isTrue();
            assertThat(tookMs).isBetween(2_000L, 3_500L);
        }
    }
}
