// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.verbena.rpc.test.EchoRequest;
import io.verbena.rpc.test.EchoResponse;
import io.verbena.testing.ChildJvm;
import io.verbena.transport.SocketMode;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A server whose heap is smaller than the requests that it gets. */
class SmallHeapTest {
    private static final int TOO_MUCH = 50 << 20;

    @ParameterizedTest
    @EnumSource(SocketMode.class)
    void shouldServeOthersWhenARequestDoesNotFit(SocketMode mode) throws Exception {
        try (RpcFixture fixture = new RpcFixture(mode);
                ChildJvm child =
                        ChildJvm.start(
                                List.of("-Xmx40m", "-XX:MaxDirectMemorySize=512m"),
                                EchoServerProgram.class,
                                mode)) {
            Channel channel =
                    fixture.closing(
                            Channel.open(
                                    fixture.clientSide.node,
                                    "127.0.0.1:" + child.line(),
                                    RpcFixture.PATIENT.withSocketMode(mode)));
            EchoRequest big =
                    EchoRequest.newBuilder()
                            .setMessage("big")
                            .setData(ByteString.copyFrom(new byte[TOO_MUCH]))
                            .build();
            // more than max_concurrency: none of them may count afterwards
            for (int i = 0; i < 6; i++) {
                shouldFail(channel, i % 2 == 0 ? EchoCalls.ECHO : EchoCalls.INLINE, big);
            }
            try (ClientController controller = channel.controller()) {
                assertThat(EchoCalls.echo(channel, controller, "small")).isEqualTo("small");
                assertThat(controller.retriedCount()).isZero();
            }
            child.finish();
        }
    }

    private static void shouldFail(
            Channel channel, RpcMethod<EchoRequest, EchoResponse> method, EchoRequest big) {
        try (ClientController controller = channel.controller()) {
            try {
                channel.call(method, big, controller);
            } catch (RpcException e) {
                assertThat(e).hasMessageContaining("OutOfMemoryError");
            }
            assertThat(controller.errorCode()).isEqualTo(RpcError.EINTERNAL.code());
            assertThat(controller.retriedCount()).isZero();
        }
    }
}
