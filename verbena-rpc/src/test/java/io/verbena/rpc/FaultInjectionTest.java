// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Message;
import io.verbena.rpc.spi.CallContext;
import io.verbena.rpc.spi.LoadBalancer;
import io.verbena.rpc.spi.ServerNode;
import io.verbena.rpc.test.EchoRequest;
import io.verbena.rpc.test.EchoResponse;
import io.verbena.rpc.test.EchoService;
import io.verbena.testing.Thrown;
import io.verbena.transport.SocketMode;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Throws everything at every call into foreign code. The call that was hit gets its answer, with
 * the reason; calls beside it on the same connection and calls after it get theirs; nothing counts
 * a call that is over.
 */
class FaultInjectionTest {
    private static final EchoResponse NOTHING = EchoResponse.getDefaultInstance();
    private static final ByteString LONG = ByteString.copyFrom(new byte[100_000]);

    /** Where foreign code is called while a call is under way. */
    enum Place {
        SERVICE,
        INLINE_SERVICE,
        INTERCEPTOR,
        REQUEST_PARSER,
        LONG_REQUEST_PARSER,
        INLINE_LONG_REQUEST_PARSER,
        RESPONSE_ENCODER,
        INLINE_RESPONSE_ENCODER,
        SELECTOR,
        REQUEST_ENCODER,
        COMPRESSED_REQUEST_ENCODER,
        RESPONSE_PARSER,
        LONG_RESPONSE_PARSER,
        RETRY_POLICY,
        BACKOFF;

        boolean isInline() {
            return name().startsWith("INLINE");
        }

        boolean isLong() {
            return name().contains("LONG");
        }
    }

    private final RpcFixture fixture = new RpcFixture(SocketMode.TCP);
    private final CountDownLatch release = new CountDownLatch(1);
    private final CountDownLatch entered = new CountDownLatch(1);
    private final AtomicInteger runs = new AtomicInteger();

    @AfterEach
    void close() {
        release.countDown();
        fixture.close();
    }

    static Stream<Arguments> faults() {
        return Stream.of(Place.values())
                .flatMap(
                        place ->
                                Stream.of(Thrown.values())
                                        .map(thrown -> Arguments.of(place, thrown)));
    }

    /** A policy that throws when it is asked, or asked how long to wait. */
    private record FaultyPolicy(Place place, Thrown thrown) implements RetryPolicy {
        @Override
        public boolean isRetried(int code) {
            if (place == Place.RETRY_POLICY) {
                thrown.raise();
            }
            return place == Place.BACKOFF;
        }

        @Override
        public long backoffNs(int retries) {
            thrown.raise();
            return 0;
        }
    }

    @ParameterizedTest
    @MethodSource("faults")
    void shouldEndOnlyTheCallThatWasHit(Place place, Thrown thrown) throws Exception {
        Server server = server(place, thrown, ServerOptions.DEFAULT);
        try (Channel channel =
                        Channel.open(
                                fixture.clientSide.node,
                                RpcFixture.addressOf(server),
                                RpcFixture.PATIENT);
                ClientController beside = channel.controller();
                ClientController hit = channel.controller();
                ClientController after = channel.controller()) {
            var innocent = EchoCalls.start(channel, beside, EchoCalls.request("hold"));
            entered.await();

            callWithFault(place, thrown, server, hit);

            assertThat(hit.errorCode()).isEqualTo(code(place, thrown).code());
            assertThat(hit.errorText()).contains(thrown.trace());
            assertThat(hit.retriedCount()).isZero();
            assertThat(runs.get()).as("runs of the service").isLessThanOrEqualTo(1);
            assertThat(EchoCalls.echo(channel, after, "after")).isEqualTo("after");
            release.countDown();
            assertThat(innocent.get(20, TimeUnit.SECONDS).getMessage()).isEqualTo("hold");
            assertThat(beside.retriedCount()).isZero();
        }
        assertThatNothingIsLeft(server);
    }

    /** An exception of a request's own code says that the request is wrong. */
    private static RpcError code(Place place, Thrown thrown) {
        boolean isException =
                thrown == Thrown.UNCHECKED || thrown == Thrown.HOSTILE || thrown == Thrown.CHECKED;
        return switch (place) {
            case REQUEST_ENCODER, COMPRESSED_REQUEST_ENCODER ->
                    isException ? RpcError.EREQUEST : RpcError.EINTERNAL;
            // an IOException is how parsers say that the bytes are malformed
            case LONG_REQUEST_PARSER, INLINE_LONG_REQUEST_PARSER ->
                    thrown == Thrown.CHECKED ? RpcError.EREQUEST : RpcError.EINTERNAL;
            case RESPONSE_PARSER, LONG_RESPONSE_PARSER ->
                    thrown == Thrown.CHECKED ? RpcError.ERESPONSE : RpcError.EINTERNAL;
            default -> RpcError.EINTERNAL;
        };
    }

    private void assertThatNothingIsLeft(Server server) {
        RpcNode node = fixture.clientSide.node;
        RpcFixture.eventually(() -> server.concurrency() == 0, () -> "calls of the server");
        RpcFixture.eventually(() -> node.callsUnderWay() == 0, () -> "calls of the client");
    }

    private Server server(Place place, Thrown thrown, ServerOptions options) {
        Interceptor interceptor =
                controller -> {
                    if (place == Place.INTERCEPTOR && controller.logId() != 0) {
                        thrown.raise();
                    }
                    return true;
                };
        return fixture.closing(
                new Server(fixture.serverSide.node)
                        .add(new FaultyService(place, thrown))
                        .start(RpcFixture.anyPort(), options.withInterceptor(interceptor)));
    }

    /** Makes the call that is hit, and waits for its end. */
    private void callWithFault(Place place, Thrown thrown, Server server, ClientController hit)
            throws Exception {
        EchoRequest.Builder plain = EchoRequest.newBuilder().setMessage(FaultyMessage.TRIGGER);
        if (place.isLong()) {
            plain.setData(LONG);
        }
        Message request = plain.build();
        Message prototype = NOTHING;
        hit.setLogId(1);
        switch (place) {
            case REQUEST_ENCODER -> request = new FaultyMessage(request, thrown);
            case COMPRESSED_REQUEST_ENCODER -> {
                request = new FaultyMessage(request, thrown);
                hit.setRequestCompressType(CompressType.GZIP);
            }
            case RESPONSE_PARSER, LONG_RESPONSE_PARSER ->
                    prototype = new FaultyMessage(NOTHING, thrown);
            default -> {}
        }
        CountDownLatch ended = new CountDownLatch(1);
        try (FaultySelector servers =
                new FaultySelector(server, place == Place.SELECTOR ? thrown : null)) {
            fixture.clientSide
                    .node
                    .engine()
                    .call(
                            new CallSettings(
                                    RpcFixture.PATIENT.withRetryPolicy(
                                            new FaultyPolicy(place, thrown)),
                                    servers),
                            place.isInline()
                                    ? EchoService.Methods.ECHO_INLINE.names()
                                    : EchoService.Methods.ECHO.names(),
                            hit,
                            request,
                            prototype,
                            _ -> ended.countDown());
            assertThat(ended.await(20, TimeUnit.SECONDS)).as("the call is over").isTrue();
        }
    }

    /** The server of a channel, found by code that may throw. */
    private final class FaultySelector implements ServerSelector {
        private final ServerSelector real;
        private final Thrown thrown;

        FaultySelector(Server server, Thrown thrown) {
            this.real =
                    fixture.clientSide.node.singleServer(
                            RpcFixture.addressOf(server), RpcFixture.PATIENT);
            this.thrown = thrown;
        }

        @Override
        public Target select(PendingCall call) {
            if (thrown != null) {
                thrown.raise();
            }
            return real.select(call);
        }

        @Override
        public List<Target> targets() {
            return real.targets();
        }

        @Override
        public TryFailure noServer() {
            return real.noServer();
        }

        @Override
        public void close() {
            real.close();
        }
    }

    /** Echoes; its own code, its requests or its responses may throw. */
    private final class FaultyService implements RpcService {
        private final Place place;
        private final Thrown thrown;

        FaultyService(Place place, Thrown thrown) {
            this.place = place;
            this.thrown = thrown;
        }

        @Override
        public ServiceDefinition definition() {
            ServiceDefinition.Builder builder =
                    ServiceDefinition.of(EchoService.Methods.SERVICE, this);
            for (MethodDescriptor method : EchoService.Methods.SERVICE.getMethods()) {
                builder.add(
                        method,
                        requestPrototype(),
                        (call, request) -> Handlers.own(call).run(answer(request)));
            }
            return builder.build();
        }

        private Message answer(Message request) {
            EchoRequest echo = (EchoRequest) request;
            Message response =
                    EchoResponse.newBuilder()
                            .setMessage(echo.getMessage())
                            .setData(echo.getData())
                            .build();
            switch (echo.getMessage()) {
                case FaultyMessage.TRIGGER -> response = onHit(response);
                case "hold" -> hold();
                default -> {}
            }
            return response;
        }

        private Message onHit(Message response) {
            runs.incrementAndGet();
            return switch (place) {
                case SERVICE, INLINE_SERVICE -> {
                    thrown.raise();
                    yield response;
                }
                case RESPONSE_ENCODER, INLINE_RESPONSE_ENCODER ->
                        new FaultyMessage(response, thrown);
                case RETRY_POLICY, BACKOFF -> throw new RpcException(4711, "busy");
                default -> response;
            };
        }

        private void hold() {
            entered.countDown();
            try {
                release.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private Message requestPrototype() {
            EchoRequest real = EchoRequest.getDefaultInstance();
            return switch (place) {
                case REQUEST_PARSER, LONG_REQUEST_PARSER, INLINE_LONG_REQUEST_PARSER ->
                        new FaultyMessage(real, thrown);
                default -> real;
            };
        }

        /** The annotation is looked for on a method of this name. */
        @NonBlocking
        @SuppressWarnings({"unused", "EffectivelyPrivate"}) // found by reflection
        public void echoInline() {}
    }

    /** Fails on the side that is asked to, once. */
    private static final class FaultyAuthenticator implements Authenticator {
        private final Thrown thrown;
        private final AtomicBoolean failsToGenerate;
        private final AtomicBoolean failsToVerify;

        FaultyAuthenticator(Thrown thrown, boolean isClient) {
            this.thrown = thrown;
            this.failsToGenerate = new AtomicBoolean(isClient);
            this.failsToVerify = new AtomicBoolean(!isClient);
        }

        @Override
        public byte[] generateCredential() {
            if (failsToGenerate.getAndSet(false)) {
                thrown.raise();
            }
            return new byte[] {1};
        }

        @Override
        public String verifyCredential(byte[] credential, InetSocketAddress client) {
            if (failsToVerify.getAndSet(false)) {
                thrown.raise();
            }
            return credential.length == 1 ? "" : "no credential";
        }
    }

    @ParameterizedTest
    @EnumSource(Thrown.class)
    void shouldSurviveTheAuthenticatorOfAServer(Thrown thrown) {
        callTwice(new FaultyAuthenticator(thrown, false), thrown);
    }

    @ParameterizedTest
    @EnumSource(Thrown.class)
    void shouldSurviveTheAuthenticatorOfAClient(Thrown thrown) {
        callTwice(new FaultyAuthenticator(thrown, true), thrown);
    }

    private void callTwice(Authenticator authenticator, Thrown thrown) {
        Server server =
                server(Place.SERVICE, thrown, ServerOptions.DEFAULT.withAuth(authenticator));
        Channel channel = fixture.channel(server, RpcFixture.PATIENT.withAuth(authenticator));
        try (ClientController hit = channel.controller();
                ClientController after = channel.controller()) {
            EchoCalls.echo(channel, hit, "first");

            assertThat(hit.errorCode()).isEqualTo(RpcError.EINTERNAL.code());
            assertThat(hit.errorText()).contains(thrown.trace());
            assertThat(EchoCalls.echo(channel, after, "second")).isEqualTo("second");
        }
        assertThatNothingIsLeft(server);
    }

    @ParameterizedTest
    @EnumSource(Thrown.class)
    void shouldSurviveACallback(Thrown thrown) throws Exception {
        for (boolean isInline : new boolean[] {true, false}) {
            Server server = fixture.server(ServerOptions.DEFAULT);
            Channel channel =
                    fixture.channel(server, RpcFixture.PATIENT.withCallbackInline(isInline));
            CountDownLatch called = new CountDownLatch(1);
            try (ClientController hit = channel.controller();
                    ClientController after = channel.controller()) {
                channel.start(
                        EchoCalls.ECHO,
                        EchoCalls.request("hit"),
                        hit,
                        _ -> {
                            called.countDown();
                            thrown.raise();
                        });

                assertThat(called.await(20, TimeUnit.SECONDS)).isTrue();
                assertThat(EchoCalls.echo(channel, after, "after")).isEqualTo("after");
                assertThat(after.retriedCount()).isZero();
            }
            assertThatNothingIsLeft(server);
        }
    }

    /** A channel to one server, chosen by a balancer that the test makes. */
    private Channel balanced(Server server, LoadBalancer balancer) {
        ServerNode listed = new ServerNode(server.address(), "");
        ScriptedNaming naming = new ScriptedNaming(List.of(listed));
        return new Channel(
                fixture.clientSide.node,
                new CallSettings(
                        RpcFixture.PATIENT,
                        fixture.clientSide.node.balancedServers(
                                "test://", naming.named(), () -> balancer, RpcFixture.PATIENT)));
    }

    @ParameterizedTest
    @EnumSource(Thrown.class)
    void shouldSurviveTheFeedbackOfABalancer(Thrown thrown) throws Exception {
        Server server = fixture.server(ServerOptions.DEFAULT);
        LoadBalancer faulty =
                servers ->
                        new LoadBalancer.Picker() {
                            @Override
                            public int select(CallContext call) {
                                return 0;
                            }

                            @Override
                            public void onFeedback(int place, long latencyNs, int errorCode) {
                                thrown.raise();
                            }
                        };
        try (Channel channel = balanced(server, faulty);
                ClientController controller = channel.controller()) {
            assertThat(EchoCalls.echo(channel, controller, "x")).isEqualTo("x");
        }
        assertThatNothingIsLeft(server);
    }

    /** The timer keeps the deadlines of all calls, so a balancer must not hold it up. */
    @Test
    void shouldTellBalancersOfDeadlinesOnAnotherThread() throws Exception {
        Server server = server(Place.SERVICE, Thrown.UNCHECKED, ServerOptions.DEFAULT);
        CompletableFuture<String> told = new CompletableFuture<>();
        LoadBalancer noting =
                servers ->
                        new LoadBalancer.Picker() {
                            @Override
                            public int select(CallContext call) {
                                return 0;
                            }

                            @Override
                            public void onFeedback(int place, long latencyNs, int errorCode) {
                                told.complete(Thread.currentThread().getName() + errorCode);
                            }
                        };
        try (Channel channel = balanced(server, noting);
                ClientController controller = channel.controller()) {
            controller.setTimeoutMs(20);
            EchoCalls.echo(channel, controller, "hold");

            assertThat(controller.errorCode()).isEqualTo(RpcError.ERPCTIMEDOUT.code());
            assertThat(told.get(20, TimeUnit.SECONDS)).isEqualTo("verbena-rpc-worker1008");
            release.countDown();
        }
        assertThatNothingIsLeft(server);
    }

    @ParameterizedTest
    @EnumSource(Thrown.class)
    void shouldFailACallWhoseBalancerThrows(Thrown thrown) throws Exception {
        Server server = fixture.server(ServerOptions.DEFAULT);
        LoadBalancer faulty =
                servers ->
                        call -> {
                            thrown.raise();
                            return 0;
                        };
        try (Channel channel = balanced(server, faulty);
                ClientController controller = channel.controller()) {
            EchoCalls.echo(channel, controller, "x");

            assertThat(controller.errorCode()).isEqualTo(RpcError.EINTERNAL.code());
        }
        assertThatNothingIsLeft(server);
    }

    @ParameterizedTest
    @EnumSource(Thrown.class)
    void shouldKeepItsServersWhenTheBalancerRefusesAList(Thrown thrown) throws Exception {
        Server server = fixture.server(ServerOptions.DEFAULT);
        AtomicInteger lists = new AtomicInteger();
        LoadBalancer faulty =
                servers -> {
                    if (lists.getAndIncrement() > 0) {
                        thrown.raise();
                    }
                    return call -> 0;
                };
        ScriptedNaming naming = new ScriptedNaming(List.of(new ServerNode(server.address(), "")));
        BalancedServers servers =
                fixture.clientSide.node.balancedServers(
                        "test://", naming.named(), () -> faulty, RpcFixture.PATIENT);
        try (Channel channel =
                        new Channel(
                                fixture.clientSide.node,
                                new CallSettings(RpcFixture.PATIENT, servers));
                ClientController controller = channel.controller()) {
            naming.report(List.of(new ServerNode(server.address(), "another")));

            assertThat(servers.problem()).isNotEmpty();
            assertThat(EchoCalls.echo(channel, controller, "x")).isEqualTo("x");
        }
        assertThatNothingIsLeft(server);
    }

    @ParameterizedTest
    @EnumSource(Thrown.class)
    void shouldKeepItsServersWhenARegistryFailsWithAnything(Thrown thrown) throws Exception {
        Server server = fixture.server(ServerOptions.DEFAULT);
        ScriptedNaming naming = new ScriptedNaming(List.of(new ServerNode(server.address(), "")));
        naming.failToClose(thrown::raise);
        BalancedServers servers =
                fixture.clientSide.node.balancedServers(
                        "test://", naming.named(), () -> listed -> call -> 0, RpcFixture.PATIENT);
        try (Channel channel =
                        new Channel(
                                fixture.clientSide.node,
                                new CallSettings(RpcFixture.PATIENT, servers));
                ClientController controller = channel.controller()) {
            naming.fail(thrown::raise);
            naming.report(null);

            assertThat(servers.problem()).isNotEmpty();
            assertThat(EchoCalls.echo(channel, controller, "x")).isEqualTo("x");
        }
        assertThatNothingIsLeft(server);
    }

    @ParameterizedTest
    @EnumSource(Thrown.class)
    void shouldSurviveACallbackOfACancellation(Thrown thrown) {
        CountDownLatch called = new CountDownLatch(1);
        Server server =
                fixture.closing(
                        new Server(fixture.serverSide.node)
                                .add(
                                        new EchoServices.Echo() {
                                            @Override
                                            public void echo(
                                                    ServerController controller,
                                                    EchoRequest request,
                                                    Consumer<EchoResponse> done) {
                                                controller.onCancel(
                                                        () -> {
                                                            called.countDown();
                                                            thrown.raise();
                                                        });
                                                super.echo(controller, request, done);
                                            }
                                        })
                                .start(RpcFixture.anyPort(), ServerOptions.DEFAULT));
        Channel channel = fixture.channel(server, RpcFixture.PATIENT);
        for (int i = 0; i < 2; i++) {
            try (ClientController controller = channel.controller()) {
                assertThat(EchoCalls.echo(channel, controller, "x")).isEqualTo("x");
            }
        }
        RpcFixture.eventually(() -> called.getCount() == 0, () -> "not called");
        assertThatNothingIsLeft(server);
    }
}
