// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Message;
import io.verbena.http.test.EchoRequest;
import io.verbena.http.test.EchoResponse;
import io.verbena.rpc.Authenticator;
import io.verbena.rpc.Call;
import io.verbena.rpc.CallChain;
import io.verbena.rpc.NonBlocking;
import io.verbena.rpc.RpcError;
import io.verbena.rpc.Server;
import io.verbena.rpc.ServerInterceptor;
import io.verbena.rpc.ServerOptions;
import io.verbena.testing.Eventually;
import io.verbena.testing.Thrown;
import io.verbena.transport.SocketMode;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Throws everything at every call into foreign code that HTTP makes: the request that was hit gets
 * status 500 with the reason, and the connection serves the next one.
 */
class HttpFaultsTest {
    /** Where foreign code is called. */
    enum Place {
        SERVICE,
        INLINE_SERVICE,
        INTERCEPTOR,
        SERVER_INTERCEPTOR,
        AUTHENTICATOR,
        RESPONSE
    }

    private final HttpFixture fixture = new HttpFixture(SocketMode.TCP);
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final AtomicBoolean isArmed = new AtomicBoolean(true);

    @AfterEach
    void close() {
        client.close();
        fixture.close();
    }

    static Stream<Arguments> faults() {
        return Stream.of(Place.values())
                .flatMap(
                        place ->
                                Stream.of(Thrown.values())
                                        .map(thrown -> Arguments.of(place, thrown)));
    }

    @ParameterizedTest
    @MethodSource("faults")
    void shouldFailOnlyTheRequestThatWasHit(Place place, Thrown thrown) throws Exception {
        Faulty service = new Faulty(place, thrown);
        Server server = fixture.server(service, options(place, thrown).withInterceptors(service));

        HttpResponse<String> hit = post(server, place);
        HttpResponse<String> after = post(server, place);

        assertThat(hit.statusCode()).isEqualTo(500);
        assertThat(hit.headers().firstValue("x-bd-error-code"))
                .hasValue(Integer.toString(RpcError.EINTERNAL.code()));
        assertThat(hit.body()).contains(trace(place, thrown));
        assertThat(after.statusCode()).as(after.body()).isEqualTo(200);
        assertThat(server.connections()).hasSize(1);
        Eventually.become(() -> server.concurrency() == 0, () -> "calls of the server");
    }

    /** A proxy wraps what its interface does not declare. */
    private static String trace(Place place, Thrown thrown) {
        return place == Place.RESPONSE && thrown == Thrown.CHECKED
                ? "UndeclaredThrowableException"
                : thrown.trace();
    }

    private HttpResponse<String> post(Server server, Place place) throws Exception {
        String method = place == Place.INLINE_SERVICE ? "EchoInline" : "Echo";
        URI uri =
                URI.create(
                        "http://127.0.0.1:"
                                + server.address().getPort()
                                + "/test.EchoService/"
                                + method);
        HttpRequest request =
                HttpRequest.newBuilder(uri)
                        .timeout(Duration.ofSeconds(20))
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString("{\"message\":\"x\"}"))
                        .build();
        return client.send(request, BodyHandlers.ofString());
    }

    private void raiseOnce(Thrown thrown) {
        if (isArmed.getAndSet(false)) {
            thrown.raise();
        }
    }

    private ServerOptions options(Place place, Thrown thrown) {
        return switch (place) {
            case INTERCEPTOR ->
                    ServerOptions.DEFAULT.withInterceptor(
                            _ -> {
                                raiseOnce(thrown);
                                return true;
                            });
            case AUTHENTICATOR -> ServerOptions.DEFAULT.withAuth(new FaultyAuthenticator(thrown));
            default -> ServerOptions.DEFAULT;
        };
    }

    /** Accepts everybody, except that it throws first. */
    private final class FaultyAuthenticator implements Authenticator {
        private final Thrown thrown;

        FaultyAuthenticator(Thrown thrown) {
            this.thrown = thrown;
        }

        @Override
        public byte[] generateCredential() {
            return new byte[0];
        }

        @Override
        public String verifyCredential(byte[] credential, InetSocketAddress peer) {
            raiseOnce(thrown);
            return "";
        }
    }

    /** Echoes, except that its code or its response throws first. */
    private final class Faulty extends EchoResponder implements ServerInterceptor {
        private final Place place;
        private final Thrown thrown;

        Faulty(Place place, Thrown thrown) {
            this.place = place;
            this.thrown = thrown;
        }

        /** Answers with a response that the service could not return. */
        @Override
        public void intercept(Call call, Message request, CallChain next) {
            if (place == Place.SERVER_INTERCEPTOR) {
                raiseOnce(thrown);
            }
            if (place == Place.RESPONSE && isArmed.getAndSet(false)) {
                next.answer(faultyMessage());
            } else {
                next.proceed(request);
            }
        }

        @Override
        public EchoResponse echo(Call call, EchoRequest request) {
            if (place == Place.SERVICE) {
                raiseOnce(thrown);
            }
            return super.echo(call, request);
        }

        @Override
        @NonBlocking
        public EchoResponse echoInline(Call call, EchoRequest request) {
            raiseOnce(thrown);
            return super.echoInline(call, request);
        }

        private Message faultyMessage() {
            return (Message)
                    Proxy.newProxyInstance(
                            Message.class.getClassLoader(),
                            new Class<?>[] {Message.class},
                            (_, _, _) -> {
                                thrown.raise();
                                return null;
                            });
        }
    }
}
