// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.generic;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.ServiceException;
import io.verbena.rpc.ClientCall;
import io.verbena.rpc.generic.test.Echo;
import io.verbena.rpc.generic.test.EchoService;
import io.verbena.rpc.generic.test.EchoServiceClient;
import io.verbena.rpc.generic.test.Saying;
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

    private static final Saying REQUEST =
            Saying.newBuilder().setData(ByteString.copyFrom(new byte[32])).build();

    private final GenericFixture fixture =
            new GenericFixture(SocketMode.RDMA, GenericServices.of(new Echoing()));

    @AfterEach
    void close() {
        fixture.close();
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
    private void generic(GenericClientController controller) throws ServiceException {
        fixture.generic.callBlockingMethod(
                EchoService.Methods.SAY_INLINE.descriptor(),
                controller,
                REQUEST,
                Echo.getDefaultInstance());
    }

    @Test
    @Timeout(110)
    void shouldMakeNoMoreGarbageThanGenericCode() throws Exception {
        EchoServiceClient client = new EchoServiceClient(fixture.channel);
        try (GenericClientController controller = fixture.generic.newController();
                ClientCall call = fixture.channel.newCall()) {
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
                mostFresh =
                        Math.min(
                                mostFresh, bytesOf(() -> generic(fixture.generic.newController())));
                reused = Math.min(reused, bytesOf(() -> client.sayInline(REQUEST, call)));
                fresh = Math.min(fresh, bytesOf(() -> client.sayInline(REQUEST)));
            }

            assertThat(reused).as("with one object for all calls").isLessThan(mostReused + OBJECT);
            assertThat(fresh).as("with one for each call").isLessThan(mostFresh + OBJECT);
        }
    }
}
