// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Message;
import io.verbena.rpc.test.probe.Answer;
import io.verbena.rpc.test.probe.ProbeService;
import io.verbena.testing.Thrown;
import io.verbena.transport.SocketMode;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A call that cannot even begin has an end all the same, and only one. */
class ClientChainTest {
    private final RpcFixture fixture = new RpcFixture(SocketMode.TCP);
    private final AtomicInteger ends = new AtomicInteger();
    private final AtomicInteger told = new AtomicInteger();

    @AfterEach
    void close() {
        fixture.close();
    }

    /** Passes calls on. */
    private final class Passing implements ClientInterceptor {
        @Override
        public void intercept(
                MethodDescriptor method, Message request, ClientCall call, CallChain next) {
            next.proceed(request);
        }

        @Override
        public void onEnd(MethodDescriptor method, ClientCall call) {
            ends.incrementAndGet();
        }
    }

    private ClientController fail(Thrown thrown, CallNotifier.Step done) {
        ClientController call = fixture.closing(fixture.clientSide.node.controller());
        new ClientChain(
                        new ClientInterceptor[] {new Passing(), new Passing()},
                        ProbeService.Methods.ASK.descriptor(),
                        call,
                        Answer.getDefaultInstance(),
                        (request, end) -> thrown.raise(),
                        done)
                .proceed(Probes.question("x"));
        return call;
    }

    /** Counts how often it is told. */
    private final class Counting implements CallNotifier.Step {
        @Override
        public boolean isAwaited() {
            return false;
        }

        @Override
        public void accept(Message response) {
            told.incrementAndGet();
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldEndACallThatCannotBegin(Thrown thrown) {
        ClientController call = fail(thrown, new Counting());

        RpcFixture.eventually(() -> told.get() > 0, () -> "never told");
        assertThat(call.errorCode()).isEqualTo(RpcError.EINTERNAL.code());
        assertThat(call.errorText()).contains("the call cannot begin", thrown.trace());
        assertThat(told).hasValue(1);
        assertThat(ends).hasValue(2);
    }
}
