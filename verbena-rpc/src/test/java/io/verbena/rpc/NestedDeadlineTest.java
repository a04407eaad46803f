// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.verbena.rpc.test.probe.ProbeServiceClient;
import io.verbena.transport.SocketMode;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A service that calls on does not wait longer than its own client. */
class NestedDeadlineTest {
    private final RpcFixture fixture = new RpcFixture(SocketMode.TCP);

    @AfterEach
    void close() {
        fixture.close();
    }

    private Channel channel(RpcService service, ChannelOptions options) {
        Server server =
                fixture.closing(
                        new Server(fixture.serverSide.node)
                                .add(service)
                                .start(RpcFixture.anyPort(), ServerOptions.DEFAULT));
        return fixture.channel(server, options);
    }

    @Test
    void shouldShrinkTheTimeoutOfACallThatAServiceMakes() {
        AtomicInteger inner = new AtomicInteger();
        ProbeServiceClient back =
                new ProbeServiceClient(
                        channel(
                                Probes.service(
                                        (call, question) -> {
                                            inner.set(call.timeoutMs());
                                            return Probes.answer("x");
                                        }),
                                RpcFixture.PATIENT.withTimeoutMs(-1)));
        ProbeServiceClient front =
                new ProbeServiceClient(
                        channel(
                                Probes.service((call, question) -> back.ask(question)),
                                RpcFixture.PATIENT.withTimeoutMs(5_000)));

        front.ask(Probes.question("x"));
        int nested = inner.get();
        back.ask(Probes.question("x"));

        assertThat(nested).isBetween(1, 5_000);
        assertThat(inner.get()).as("without a limit").isEqualTo(-1);
    }

    @Test
    void shouldEndACallThatAServiceMakesWithItsOwn() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        CountDownLatch isOver = new CountDownLatch(1);
        AtomicReference<RpcException> inner = new AtomicReference<>();
        ProbeServiceClient back =
                new ProbeServiceClient(
                        channel(
                                Probes.service(
                                        (call, question) -> {
                                            release.await();
                                            return Probes.answer("x");
                                        }),
                                RpcFixture.PATIENT.withTimeoutMs(-1)));
        ProbeServiceClient front =
                new ProbeServiceClient(
                        channel(
                                Probes.service(
                                        (call, question) -> {
                                            inner.set(
                                                    catchThrowableOfType(
                                                            RpcException.class,
                                                            () -> back.ask(question)));
                                            isOver.countDown();
                                            return Probes.answer("x");
                                        }),
                                RpcFixture.PATIENT.withTimeoutMs(1_000)));

        RpcException outer =
                catchThrowableOfType(RpcException.class, () -> front.ask(Probes.question("x")));
        isOver.await();
        release.countDown();

        assertThat(outer.code()).isEqualTo(RpcError.ERPCTIMEDOUT.code());
        assertThat(inner.get().code()).isEqualTo(RpcError.ERPCTIMEDOUT.code());
    }

    @Test
    void shouldKnowTheCurrentCallInsideAService() {
        AtomicReference<String> name = new AtomicReference<>("");
        Channel channel =
                channel(
                        Probes.service(
                                (call, question) -> {
                                    name.set(Call.current().orElseThrow().methodName());
                                    return Probes.answer("x");
                                }),
                        RpcFixture.PATIENT);

        new ProbeServiceClient(channel).ask(Probes.question("x"));

        assertThat(name.get()).isEqualTo("Ask");
        assertThat(Call.current()).isEmpty();
    }
}
