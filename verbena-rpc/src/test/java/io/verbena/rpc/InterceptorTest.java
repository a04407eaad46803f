// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Message;
import io.verbena.completion.Faults;
import io.verbena.rpc.test.probe.ProbeServiceClient;
import io.verbena.testing.Thrown;
import io.verbena.transport.SocketMode;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class InterceptorTest {
    private final RpcFixture fixture = new RpcFixture(SocketMode.TCP);
    private final List<String> seen = new CopyOnWriteArrayList<>();

    @AfterEach
    void close() {
        fixture.close();
    }

    private ProbeServiceClient client(ServerOptions server, ChannelOptions options) {
        Server started =
                fixture.closing(
                        new Server(fixture.serverSide.node)
                                .add(
                                        Probes.service(
                                                (call, question) -> {
                                                    seen.add("service " + question.getText());
                                                    return Probes.echo(call, question);
                                                }))
                                .start(RpcFixture.anyPort(), server));
        return new ProbeServiceClient(fixture.channel(started, options));
    }

    /** Notes what it sees on the server. */
    private final class ServerNotes implements ServerInterceptor {
        private final String name;

        ServerNotes(String name) {
            this.name = name;
        }

        @Override
        public void intercept(Call call, Message request, CallChain next) throws Exception {
            seen.add(name + " before " + call.methodName());
            next.proceed(request);
        }

        @Override
        public void onEnd(Call call) {
            seen.add(name + " after " + call.errorCode());
        }
    }

    /** Notes what it sees on the client. */
    private final class ClientNotes implements ClientInterceptor {
        private final String name;

        ClientNotes(String name) {
            this.name = name;
        }

        @Override
        public void intercept(
                MethodDescriptor method, Message request, ClientCall call, CallChain next) {
            seen.add(name + " before " + method.getName());
            next.proceed(request);
        }

        @Override
        public void onEnd(MethodDescriptor method, ClientCall call) {
            seen.add(name + " after " + call.errorCode());
        }
    }

    @Test
    void shouldPassACallThroughAllInterceptorsInOrder() {
        ProbeServiceClient client =
                client(
                        ServerOptions.DEFAULT.withInterceptors(
                                new ServerNotes("s1"), new ServerNotes("s2")),
                        RpcFixture.PATIENT.withInterceptors(
                                new ClientNotes("c1"), new ClientNotes("c2")));

        client.askQuickly(Probes.question("x"));

        // the server may notice the end of a call after its client
        RpcFixture.eventually(() -> seen.size() == 9, seen::toString);
        assertThat(seen.stream().filter(note -> !note.startsWith("c")))
                .containsExactly(
                        "s1 before AskQuickly",
                        "s2 before AskQuickly",
                        "service x",
                        "s2 after 0",
                        "s1 after 0");
        assertThat(seen.stream().filter(note -> note.startsWith("c")))
                .containsExactly(
                        "c1 before AskQuickly", "c2 before AskQuickly", "c2 after 0", "c1 after 0");
    }

    @Test
    void shouldTellInterceptorsOfAsynchronousCallsBeforeTheCallback() throws Exception {
        ProbeServiceClient client =
                client(
                        ServerOptions.DEFAULT,
                        RpcFixture.PATIENT.withInterceptors(new ClientNotes("c")));

        client.askAsync(Probes.question("x"))
                .thenRun(() -> seen.add("done"))
                .get(20, TimeUnit.SECONDS);

        assertThat(seen).containsExactly("c before Ask", "service x", "c after 0", "done");
    }

    @Test
    void shouldRefuseOneMethodAndAllowAnother() {
        ServerInterceptor quickOnly =
                new ServerInterceptor() {
                    @Override
                    public void intercept(Call call, Message request, CallChain next) {
                        if (!call.methodName().equals("AskQuickly")) {
                            throw new RpcException(RpcError.EREJECT, "ask quickly");
                        }
                        next.proceed(request);
                    }
                };
        ProbeServiceClient client =
                client(ServerOptions.DEFAULT.withInterceptors(quickOnly), RpcFixture.PATIENT);

        RpcException thrown =
                catchThrowableOfType(RpcException.class, () -> client.ask(Probes.question("x")));

        assertThat(thrown.code()).isEqualTo(RpcError.EREJECT.code());
        assertThat(thrown.text()).endsWith("ask quickly");
        assertThat(client.askQuickly(Probes.question("y")).getText()).isEqualTo("y");
        assertThat(seen).containsExactly("service y");
    }

    @Test
    void shouldAnswerInsteadOfTheService() {
        ServerInterceptor cache =
                new ServerInterceptor() {
                    @Override
                    public void intercept(Call call, Message request, CallChain next) {
                        next.answer(Probes.answer("from the cache"));
                    }
                };
        ProbeServiceClient client =
                client(ServerOptions.DEFAULT.withInterceptors(cache), RpcFixture.PATIENT);

        assertThat(client.ask(Probes.question("x")).getText()).isEqualTo("from the cache");
        assertThat(seen).isEmpty();
    }

    @Test
    void shouldChangeSettingsAndRequestOfACall() {
        ClientInterceptor labels =
                new ClientInterceptor() {
                    @Override
                    public void intercept(
                            MethodDescriptor method,
                            Message request,
                            ClientCall call,
                            CallChain next) {
                        call.requestUserFields().put("tenant", "blue");
                        next.proceed(Probes.question("another"));
                    }

                    @Override
                    public void onEnd(MethodDescriptor method, ClientCall call) {
                        seen.add(call.responseUserFields().toString());
                    }
                };
        ProbeServiceClient client =
                client(ServerOptions.DEFAULT, RpcFixture.PATIENT.withInterceptors(labels));

        assertThat(client.ask(Probes.question("x")).getText()).isEqualTo("another");
        assertThat(seen).containsExactly("service another", "{tenant=blue}");
    }

    @Test
    void shouldEndACallOnTheClient() {
        ClientInterceptor breaker =
                new ClientInterceptor() {
                    @Override
                    public void intercept(
                            MethodDescriptor method,
                            Message request,
                            ClientCall call,
                            CallChain next) {
                        throw new RpcException(RpcError.EREJECT, "the breaker is open");
                    }
                };
        ClientInterceptor cache =
                new ClientInterceptor() {
                    @Override
                    public void intercept(
                            MethodDescriptor method,
                            Message request,
                            ClientCall call,
                            CallChain next) {
                        next.answer(Probes.answer("from the cache"));
                    }
                };
        ProbeServiceClient refused =
                client(
                        ServerOptions.DEFAULT,
                        RpcFixture.PATIENT.withInterceptors(new ClientNotes("c"), breaker));
        ProbeServiceClient cached =
                client(ServerOptions.DEFAULT, RpcFixture.PATIENT.withInterceptors(cache));

        RpcException thrown =
                catchThrowableOfType(RpcException.class, () -> refused.ask(Probes.question("x")));

        assertThat(thrown.code()).isEqualTo(RpcError.EREJECT.code());
        assertThat(thrown.text()).isEqualTo("[E1018]the breaker is open");
        assertThat(seen).containsExactly("c before Ask", "c after 1018");
        assertThat(cached.ask(Probes.question("x")).getText()).isEqualTo("from the cache");
        assertThat(cached.askAsync(Probes.question("x")).join().getText())
                .isEqualTo("from the cache");
    }

    /** Throws at the end of every call. */
    private record FaultyAtTheEnd(Thrown thrown) implements ServerInterceptor, ClientInterceptor {
        @Override
        public void onEnd(Call call) {
            thrown.raise();
        }

        @Override
        public void onEnd(MethodDescriptor method, ClientCall call) {
            thrown.raise();
        }
    }

    /** The fixture misses the memory of attachments that are not released. */
    @ParameterizedTest
    @EnumSource(Thrown.class)
    void shouldSurviveInterceptorsThatFailAtTheEnd(Thrown thrown) throws Exception {
        FaultyAtTheEnd faulty = new FaultyAtTheEnd(thrown);
        ProbeServiceClient client =
                client(
                        ServerOptions.DEFAULT.withInterceptors(faulty, new ServerNotes("s")),
                        RpcFixture.PATIENT.withInterceptors(new ClientNotes("c"), faulty));
        try (ClientController call = fixture.clientSide.node.controller()) {
            call.requestAttachment().append("attached");

            assertThat(client.ask(Probes.question("x"), call).getText()).isEqualTo("x");
            assertThat(call.responseAttachment().toText()).isEqualTo("attached");
        }
        assertThat(client.askAsync(Probes.question("y")).get(20, TimeUnit.SECONDS).getText())
                .isEqualTo("y");
        RpcFixture.eventually(() -> Collections.frequency(seen, "s after 0") == 2, seen::toString);
        RpcFixture.eventually(() -> Collections.frequency(seen, "c after 0") == 2, seen::toString);
    }

    /** Throws at the beginning of every call. */
    private record Faulty(Thrown thrown) implements ServerInterceptor, ClientInterceptor {
        @Override
        public void intercept(Call call, Message request, CallChain next) {
            thrown.raise();
        }

        @Override
        public void intercept(
                MethodDescriptor method, Message request, ClientCall call, CallChain next) {
            thrown.raise();
        }
    }

    @ParameterizedTest
    @EnumSource(Thrown.class)
    void shouldFailACallWhoseServersInterceptorThrows(Thrown thrown) {
        ProbeServiceClient client =
                client(
                        ServerOptions.DEFAULT.withInterceptors(
                                new ServerNotes("s"), new Faulty(thrown)),
                        RpcFixture.PATIENT);

        RpcException failure =
                catchThrowableOfType(RpcException.class, () -> client.ask(Probes.question("x")));

        assertThat(failure.code()).isEqualTo(RpcError.EINTERNAL.code());
        assertThat(failure.text()).contains(thrown.trace());
        RpcFixture.eventually(() -> seen.size() == 2, seen::toString);
        assertThat(seen).containsExactly("s before Ask", "s after 2001");
    }

    /** Passes calls on, each on a thread of its own. */
    private static final class Elsewhere implements ClientInterceptor {
        @Override
        public void intercept(
                MethodDescriptor method, Message request, ClientCall call, CallChain next) {
            Thread _ = Thread.ofPlatform().name("elsewhere").start(() -> proceed(next, request));
        }

        /** What escapes here has nobody to go to. */
        private static void proceed(CallChain next, Message request) {
            try {
                next.proceed(request);
            } catch (Throwable e) {
                Faults.warn(InterceptorTest.class, "escaped", next, e);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Thrown.class)
    void shouldFailACallWhoseClientsInterceptorThrows(Thrown thrown) {
        ProbeServiceClient client =
                client(
                        ServerOptions.DEFAULT,
                        RpcFixture.PATIENT.withInterceptors(
                                new ClientNotes("c"), new Elsewhere(), new Faulty(thrown)));

        assertThatThrownBy(() -> client.askAsync(Probes.question("x")).get(20, TimeUnit.SECONDS))
                .cause()
                .isInstanceOfSatisfying(
                        RpcException.class,
                        e -> {
                            assertThat(e.code()).isEqualTo(RpcError.EINTERNAL.code());
                            assertThat(e.text()).contains(thrown.trace());
                        });
        // a thread that waits for a future is woken before interceptors are told
        RpcFixture.eventually(() -> seen.size() == 2, seen::toString);
        assertThat(seen).containsExactly("c before Ask", "c after 2001");
    }

    @Test
    void shouldFailACallWithAUserFieldThatIsNull() {
        ClientInterceptor careless =
                new ClientInterceptor() {
                    @Override
                    public void intercept(
                            MethodDescriptor method,
                            Message request,
                            ClientCall call,
                            CallChain next) {
                        call.requestUserFields().put("trace", null);
                        next.proceed(request);
                    }
                };
        ProbeServiceClient client =
                client(
                        ServerOptions.DEFAULT,
                        RpcFixture.PATIENT.withInterceptors(new ClientNotes("c"), careless));

        assertThatThrownBy(() -> client.askAsync(Probes.question("x")).get(20, TimeUnit.SECONDS))
                .cause()
                .isInstanceOf(RpcException.class);
        RpcFixture.eventually(() -> seen.size() == 2, seen::toString);
    }

    @ParameterizedTest
    @EnumSource(Thrown.class)
    void shouldEndACallOnceThoughAnInterceptorThrowsAfterPassingItOn(Thrown thrown)
            throws Exception {
        ClientInterceptor late =
                new ClientInterceptor() {
                    @Override
                    public void intercept(
                            MethodDescriptor method,
                            Message request,
                            ClientCall call,
                            CallChain next)
                            throws Exception {
                        next.proceed(request);
                        thrown.raise();
                    }
                };
        ProbeServiceClient client =
                client(
                        ServerOptions.DEFAULT,
                        RpcFixture.PATIENT.withInterceptors(new ClientNotes("c"), late));

        assertThat(client.askAsync(Probes.question("x")).get(20, TimeUnit.SECONDS).getText())
                .isEqualTo("x");
        assertThat(client.ask(Probes.question("y")).getText()).isEqualTo("y");
        RpcFixture.eventually(() -> Collections.frequency(seen, "c after 0") == 2, seen::toString);
        assertThat(seen).doesNotContain("c after 2001");
    }
}
