// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.ServiceException;
import io.verbena.rpc.test.EchoRequest;
import io.verbena.rpc.test.EchoResponse;
import io.verbena.rpc.test.EchoServiceClient;
import io.verbena.testing.AllocatedBytes;
import io.verbena.transport.SocketMode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What calls through generated code cost, compared with those through protobuf's own. */
class StubGarbageTest {
    private static final int CALLS = 20_000;
    private static final int ROUNDS = 12;

    /** The smallest object: anything below is what other threads did meanwhile. */
    private static final long OBJECT = 16;

    private static final EchoRequest REQUEST =
            EchoRequest.newBuilder()
                    .setMessage("")
                    .setData(ByteString.copyFrom(new byte[32]))
                    .build();

    private final RpcFixture fixture = new RpcFixture(SocketMode.RDMA);
    private final Channel channel = channel();

    @AfterEach
    void close() {
        fixture.close();
    }

    private Channel channel() {
        Server server = fixture.server(ServerOptions.DEFAULT.withSocketMode(SocketMode.RDMA));
        return fixture.channel(server, RpcFixture.PATIENT.withSocketMode(SocketMode.RDMA));
    }

    /** A call, made many times. */
    private interface OneCall {
        void make() throws ServiceException;
    }

    /** {@return bytes per call, on the caller's thread and those that serve its connection} */
    private static long bytesOf(OneCall call) throws ServiceException {
        long before = allocated();
        for (int i = 0; i < CALLS; i++) {
            call.make();
        }
        return (allocated() - before) / CALLS;
    }

    private static long allocated() {
        return AllocatedBytes.now()
                + Thread.getAllStackTraces().keySet().stream()
                        .filter(thread -> thread.getName().startsWith("verbena-rdma"))
                        .mapToLong(AllocatedBytes::by)
                        .sum();
    }

    /** Makes the call as protobuf's own stubs do. */
    private void generic(ClientController controller) throws ServiceException {
        channel.callBlockingMethod(
                EchoCalls.INLINE, controller, REQUEST, EchoResponse.getDefaultInstance());
    }

    @Test
    @Timeout(110)
    void shouldMakeNoMoreGarbageThanGenericCode() throws Exception {
        EchoServiceClient client = new EchoServiceClient(channel);
        try (ClientController controller = channel.controller();
                ClientCall call = channel.newCall()) {
            long mostReused = Long.MAX_VALUE;
            long mostFresh = Long.MAX_VALUE;
            long reused = Long.MAX_VALUE;
            long fresh = Long.MAX_VALUE;
            // until everything is compiled, which takes its time on a busy machine
            for (int i = 0;
                    i < ROUNDS
                            && (i < 4
                                    || reused >= mostReused + OBJECT
                                    || fresh >= mostFresh + OBJECT);
                    i++) {
                mostReused = Math.min(mostReused, bytesOf(() -> generic(controller)));
                mostFresh = Math.min(mostFresh, bytesOf(() -> generic(channel.controller())));
                reused = Math.min(reused, bytesOf(() -> client.echoInline(REQUEST, call)));
                fresh = Math.min(fresh, bytesOf(() -> client.echoInline(REQUEST)));
            }

            assertThat(reused).as("with one object for all calls").isLessThan(mostReused + OBJECT);
            assertThat(fresh).as("with one for each call").isLessThan(mostFresh + OBJECT);
        }
    }
}
