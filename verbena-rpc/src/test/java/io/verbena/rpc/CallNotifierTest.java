// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.Message;
import io.verbena.rpc.test.probe.Answer;
import io.verbena.testing.Thrown;
import io.verbena.transport.SocketMode;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class CallNotifierTest {
    /** Wakes nobody, but can be told. */
    private static final class Sleepy implements CallNotifier.Waking {
        private final CompletableFuture<Message> told = new CompletableFuture<>();
        private final Thrown thrown;

        Sleepy(Thrown thrown) {
            this.thrown = thrown;
        }

        @Override
        public void wake(Message result) {
            thrown.raise();
        }

        @Override
        public void accept(Message result) {
            told.complete(result);
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldRunACallbackThatCouldNotBeWoken(Thrown thrown) throws Exception {
        Sleepy done = new Sleepy(thrown);

        CallNotifier.run(done, Probes.answer("x"));

        assertThat(done.told.get(20, TimeUnit.SECONDS)).isEqualTo(Probes.answer("x"));
    }

    @Test
    void shouldCompleteAFutureThatCouldNotBeWoken() {
        try (RpcFixture fixture = new RpcFixture(SocketMode.TCP)) {
            ClientController call = fixture.closing(fixture.clientSide.node.controller());
            CallFuture<Answer> future = new CallFuture<>(call);
            call.outcome(RpcError.ELIMIT.code(), "as told");

            future.accept(Answer.getDefaultInstance());

            CompletionException failure =
                    catchThrowableOfType(CompletionException.class, future::join);
            assertThat(failure)
                    .cause()
                    .isInstanceOfSatisfying(
                            RpcException.class,
                            e -> assertThat(e.code()).isEqualTo(RpcError.ELIMIT.code()));
        }
    }
}
