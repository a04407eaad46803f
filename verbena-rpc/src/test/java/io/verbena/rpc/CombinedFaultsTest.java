// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.Message;
import io.verbena.rpc.test.EchoResponse;
import io.verbena.testing.Thrown;
import io.verbena.transport.SocketMode;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Calls over combined channels end whatever the foreign code in between throws. */
class CombinedFaultsTest {
    private final RpcFixture fixture = new RpcFixture(SocketMode.TCP);

    @AfterEach
    void close() {
        fixture.close();
    }

    /** A channel of the program's own. */
    private record Own(Channel real, Consumer<Consumer<? super Message>> starting)
            implements Caller {
        @Override
        public ClientCall newCall() {
            return real.newCall();
        }

        @Override
        public <Q extends Message, R extends Message> R call(RpcMethod<Q, R> method, Q request) {
            throw new UnsupportedOperationException("call");
        }

        @Override
        public <Q extends Message, R extends Message> R call(
                RpcMethod<Q, R> method, Q request, ClientCall call) {
            throw new UnsupportedOperationException("call");
        }

        @Override
        public <Q extends Message, R extends Message> CompletableFuture<R> callAsync(
                RpcMethod<Q, R> method, Q request) {
            throw new UnsupportedOperationException("callAsync");
        }

        @Override
        public <Q extends Message, R extends Message> CompletableFuture<R> callAsync(
                RpcMethod<Q, R> method, Q request, ClientCall call) {
            throw new UnsupportedOperationException("callAsync");
        }

        @Override
        @SuppressWarnings("unchecked") // the test gives it no message
        public <Q extends Message, R extends Message> void start(
                RpcMethod<Q, R> method, Q request, ClientCall call, Consumer<? super R> done) {
            starting.accept((Consumer<? super Message>) done);
        }
    }

    @ParameterizedTest
    @EnumSource(Thrown.class)
    void shouldEndACallWhoseNextChannelThrows(Thrown thrown) {
        Server server = fixture.server(ServerOptions.DEFAULT);
        Channel good = fixture.channel(server, RpcFixture.PATIENT);
        Channel bad =
                fixture.closing(
                        Channel.open(fixture.clientSide.node, "127.0.0.1:1", RpcFixture.PATIENT));
        SelectiveChannel selective =
                SelectiveChannel.of(List.of(bad, new Own(good, _ -> thrown.raise())));

        CompletableFuture<EchoResponse> call =
                selective.callAsync(EchoCalls.ECHO, EchoCalls.request("x"));

        assertThatThrownBy(() -> call.get(20, TimeUnit.SECONDS))
                .cause()
                .isInstanceOfSatisfying(
                        RpcException.class,
                        e -> {
                            assertThat(e.code()).isEqualTo(RpcError.EINTERNAL.code());
                            assertThat(e.text()).contains(thrown.trace());
                        });
    }
}
