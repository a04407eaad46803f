// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.verbena.rpc.spi.LoadBalancer;
import io.verbena.rpc.spi.ServerNode;
import io.verbena.rpc.test.EchoResponse;
import io.verbena.transport.SocketMode;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Foreign code that holds a call for as long as it likes, against its contract, holds up no other.
 */
class SlowPluginTest {
    /** What takes its time. */
    enum Plugin {
        AUTHENTICATOR,
        BALANCER,
        RETRY_POLICY
    }

    private final RpcFixture fixture = new RpcFixture(SocketMode.TCP);
    private final CountDownLatch entered = new CountDownLatch(1);
    private final CountDownLatch release = new CountDownLatch(1);

    @AfterEach
    void close() {
        release.countDown();
        fixture.close();
    }

    private void block() {
        entered.countDown();
        try {
            assertThat(release.await(50, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Blocks at one of the tries. */
    private final class SlowAuthenticator implements Authenticator {
        private final AtomicInteger left;

        SlowAuthenticator(int attempt) {
            left = new AtomicInteger(attempt);
        }

        @Override
        public byte[] generateCredential() {
            if (left.getAndDecrement() == 0) {
                block();
            }
            return new byte[] {1};
        }

        @Override
        public String verifyCredential(byte[] credential, InetSocketAddress client) {
            return "";
        }
    }

    /** A channel whose first tries go to one server, and all others to another. */
    private Channel channel(MortalServer first, InetSocketAddress second) {
        return channel(first, second, -1, RpcFixture.PATIENT);
    }

    private Channel channel(
            MortalServer first, InetSocketAddress second, int slowAttempt, ChannelOptions options) {
        ScriptedNaming naming =
                new ScriptedNaming(
                        List.of(new ServerNode(first.address(), ""), new ServerNode(second, "")));
        LoadBalancer balancer =
                servers ->
                        call -> {
                            if (call.tries() == slowAttempt) {
                                block();
                            }
                            return servers.size() < 2 ? 0 : indexOf(servers, call.tries(), first);
                        };
        return fixture.closing(
                new Channel(
                        fixture.clientSide.node,
                        new CallSettings(
                                options,
                                fixture.clientSide.node.balancedServers(
                                        "test://", naming.named(), () -> balancer, options))));
    }

    private static int indexOf(List<ServerNode> servers, int tries, MortalServer first) {
        boolean isFirst = servers.getFirst().address().equals(first.address());
        return isFirst == (tries == 0) ? 0 : 1;
    }

    /** A channel whose plug-in blocks at one of the tries of its first call. */
    private Channel slow(Plugin plugin, int attempt, MortalServer first, InetSocketAddress second) {
        ChannelOptions options = RpcFixture.PATIENT;
        return switch (plugin) {
            case AUTHENTICATOR ->
                    channel(first, second, -1, options.withAuth(new SlowAuthenticator(attempt)));
            case BALANCER -> channel(first, second, attempt, options);
            case RETRY_POLICY ->
                    channel(
                            first,
                            second,
                            -1,
                            options.withRetryPolicy(
                                    code -> {
                                        block();
                                        return true;
                                    }));
        };
    }

    private CompletableFuture<EchoResponse> start(Channel channel, String message) {
        ClientController controller = fixture.closing(channel.controller());
        return EchoCalls.start(channel, controller, EchoCalls.request(message));
    }

    private static String messageOf(CompletableFuture<EchoResponse> call) throws Exception {
        return call.get(10, TimeUnit.SECONDS).getMessage();
    }

    /** On the caller's thread, at its first try. */
    @ParameterizedTest
    @EnumSource(names = {"AUTHENTICATOR", "BALANCER"})
    void shouldFailOverWhileAnotherCallIsPrepared(Plugin plugin) throws Exception {
        InetSocketAddress server = fixture.server(ServerOptions.DEFAULT).address();
        try (MortalServer dying = new MortalServer();
                MortalServer unused = new MortalServer()) {
            CompletableFuture<EchoResponse> innocent = start(channel(dying, server), "innocent");
            dying.awaitRequest();
            Channel channel = slow(plugin, 0, unused, server);
            CompletableFuture<String> held = new CompletableFuture<>();
            Thread caller =
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        try {
                                            held.complete(messageOf(start(channel, "held")));
                                        } catch (Throwable e) {
                                            held.completeExceptionally(e);
                                        }
                                    });
            entered.await();

            dying.die();

            assertThat(messageOf(innocent)).isEqualTo("innocent");
            release.countDown();
            unused.die();
            assertThat(held.get(10, TimeUnit.SECONDS)).isEqualTo("held");
            caller.join();
        }
    }

    /** On the thread that retries. */
    @ParameterizedTest
    @EnumSource
    void shouldRetryWhileAnotherRetryIsPrepared(Plugin plugin) throws Exception {
        InetSocketAddress server = fixture.server(ServerOptions.DEFAULT).address();
        try (MortalServer dying = new MortalServer();
                MortalServer dyingToo = new MortalServer()) {
            CompletableFuture<EchoResponse> held = start(slow(plugin, 1, dying, server), "held");
            CompletableFuture<EchoResponse> innocent = start(channel(dyingToo, server), "innocent");
            dying.awaitRequest();
            dyingToo.awaitRequest();
            dying.die();
            entered.await();

            dyingToo.die();

            assertThat(messageOf(innocent)).isEqualTo("innocent");
            assertThat(held).isNotDone();
            release.countDown();
            assertThat(messageOf(held)).isEqualTo("held");
        }
    }

    /** The scan meets the call while its policy is asked, and comes back to it. */
    @Test
    void shouldFailOverACallThatWasHeldWhenItsConnectionEnded() throws Exception {
        InetSocketAddress server = fixture.server(ServerOptions.DEFAULT).address();
        try (MortalServer dying = new MortalServer()) {
            Channel channel = channel(dying, server);
            CompletableFuture<EchoResponse> call = start(channel, "x");
            dying.awaitRequest();
            CallTable table = fixture.clientSide.node.engine().table();
            PendingCall pending = table.at(0);
            while (!pending.tryOwnFrom(pending.stateWord())) {
                Thread.onSpinWait();
            }

            ClientSocket socket = pending.socket;
            dying.die();
            RpcFixture.eventually(socket::hasEnded, () -> "the connection is open");
            CompletableFuture<EchoResponse> beside = start(channel(dying, server), "beside");
            assertThat(messageOf(beside)).isEqualTo("beside");
            assertThat(call).isNotDone();
            pending.publish();

            assertThat(messageOf(call)).isEqualTo("x");
        }
    }

    /** As soon as the foreign code lets it. */
    @Test
    void shouldEndACallWhoseDeadlineHasPassedMeanwhile() throws Exception {
        try (MortalServer dying = new MortalServer();
                MortalServer silent = new MortalServer()) {
            CompletableFuture<EchoResponse> held =
                    startShort(slow(Plugin.RETRY_POLICY, 1, dying, silent.address()));
            dying.awaitRequest();
            dying.die();
            entered.await();
            CompletableFuture<EchoResponse> later = startShort(channel(silent, silent.address()));
            assertThat(catchThrowable(() -> messageOf(later)))
                    .hasMessageContaining("reached timeout");
            assertThat(held).isNotDone();

            release.countDown();

            assertThat(catchThrowable(() -> messageOf(held)))
                    .hasMessageContaining("reached timeout");
        }
    }

    private CompletableFuture<EchoResponse> startShort(Channel channel) {
        ClientController controller = fixture.closing(channel.controller());
        controller.setTimeoutMs(5_000);
        return EchoCalls.start(channel, controller, EchoCalls.request("x"));
    }

    @Test
    void shouldNotHoldUpWhoeverCancels() throws Exception {
        try (MortalServer dying = new MortalServer();
                MortalServer silent = new MortalServer()) {
            Channel channel = slow(Plugin.BALANCER, 1, dying, silent.address());
            ClientController controller = fixture.closing(channel.controller());
            CompletableFuture<EchoResponse> held =
                    EchoCalls.start(channel, controller, EchoCalls.request("held"));
            dying.awaitRequest();
            dying.die();
            entered.await();

            controller.startCancel();
            release.countDown();

            assertThat(catchThrowable(() -> messageOf(held))).isNotNull();
            assertThat(controller.errorCode()).isEqualTo(RpcError.ECANCELED.code());
        }
    }
}
