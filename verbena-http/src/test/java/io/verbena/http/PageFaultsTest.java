// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.memory.BlockPool;
import io.verbena.memory.BlockPoolOptions;
import io.verbena.memory.IOBuf;
import io.verbena.rpc.spi.PageVerdict;
import io.verbena.rpc.spi.ServerConnection;
import io.verbena.rpc.spi.ServerProtocol;
import io.verbena.rpc.spi.ServerView;
import io.verbena.testing.Eventually;
import io.verbena.testing.Thrown;
import io.verbena.transport.Connection;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Pages of a server whose state cannot be read: the request gets status 500 with the reason, and
 * the connection serves the next one.
 */
class PageFaultsTest {
    private final BlockPool pool = BlockPool.unregistered(BlockPoolOptions.DEFAULT);
    private final BlockingQueue<String> written = new LinkedBlockingQueue<>();
    private final AtomicInteger held = new AtomicInteger();

    @AfterEach
    void close() {
        pool.close();
    }

    @ParameterizedTest
    @EnumSource(Thrown.class)
    void shouldFailOnlyThePageThatWasHit(Thrown thrown) throws Exception {
        ServerView server =
                pretend(
                        ServerView.class,
                        Map.of(
                                "pool",
                                pool,
                                "maxBodyBytes",
                                1L << 20,
                                "services",
                                List.of(),
                                "methods",
                                List.of(),
                                "findMethod",
                                Optional.empty(),
                                "isStopping",
                                false,
                                "trustedOrigins",
                                Set.of(),
                                "everySecond",
                                CompletableFuture.completedFuture(null),
                                "connections",
                                thrown));
        ServerConnection connection =
                pretend(
                        ServerConnection.class,
                        Map.of(
                                "server",
                                server,
                                "hasPages",
                                true,
                                "hasCalls",
                                true,
                                "authorize",
                                PageVerdict.ALLOWED,
                                "transport",
                                pretend(Connection.class, Map.of("tls", Optional.empty()))));
        ServerProtocol.Parser parser = HttpProtocol.open(server).parser(connection);

        assertThat(get(parser, "/connections")).startsWith("HTTP/1.1 500 ").contains(trace(thrown));
        assertThat(get(parser, "/health")).startsWith("HTTP/1.1 200 ");

        // released after it was written
        Eventually.be(0, held::get);
        parser.onClose();
    }

    /** A proxy wraps what its interface does not declare. */
    private static String trace(Thrown thrown) {
        return thrown == Thrown.CHECKED ? "UndeclaredThrowableException" : thrown.trace();
    }

    private String get(ServerProtocol.Parser parser, String path) throws InterruptedException {
        try (IOBuf received = pool.buffer()) {
            received.append("GET " + path + " HTTP/1.1\r\nHost: x\r\nAccept: */*\r\n\r\n");
            assertThat(parser.consume(received)).isEqualTo(ServerProtocol.Outcome.CONSUMED);
        }
        return Optional.ofNullable(written.poll(20, TimeUnit.SECONDS)).orElse("nothing in time");
    }

    /** {@return an object whose methods return what was given, or throw it} */
    private <T> T pretend(Class<T> type, Map<String, Object> answers) {
        return type.cast(
                Proxy.newProxyInstance(
                        type.getClassLoader(),
                        new Class<?>[] {type},
                        (_, method, arguments) -> answer(method, arguments, answers)));
    }

    private Object answer(Method method, Object[] arguments, Map<String, Object> answers) {
        switch (method.getName()) {
            case "write" -> {
                IOBuf bytes = (IOBuf) arguments[0];
                String text = new String(bytes.toByteArray(), StandardCharsets.UTF_8);
                bytes.clear();
                written.add(text);
            }
            case "tryHold" -> {
                held.incrementAndGet();
                return true;
            }
            case "release" -> held.decrementAndGet();
            case "toString" -> {
                return "a pretended " + method.getDeclaringClass().getSimpleName();
            }
            default -> {}
        }
        Object answer = answers.get(method.getName());
        if (answer instanceof Thrown thrown) {
            thrown.raise();
        }
        return answer;
    }
}
