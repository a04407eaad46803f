// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Message;
import io.verbena.completion.Faults;
import io.verbena.rpc.spi.ClientProtocol;
import io.verbena.rpc.spi.ClientRequest;
import io.verbena.rpc.spi.ClientStream;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes the calls of a channel that speaks another protocol than {@code baidu_std}. Any thread. */
final class ExchangeCalls implements ClientExchange.Starter {
    private static final Logger LOG = LoggerFactory.getLogger(ExchangeCalls.class);

    private final CallSettings settings;
    private final ClientProtocol protocol;
    private final StreamTimer timer;
    private final Executor worker;

    /**
     * The calls of a channel.
     *
     * @param settings the channel's
     * @param protocol what it speaks
     * @param timer keeps deadlines; runs no foreign code
     * @param worker runs retries, and ends tries that were given up
     */
    ExchangeCalls(
            CallSettings settings, ClientProtocol protocol, StreamTimer timer, Executor worker) {
        this.settings = settings;
        this.protocol = protocol;
        this.timer = timer;
        this.worker = worker;
        settings.servers().onLeave(this::leave);
        settings.servers().onJoin(this::join);
    }

    /** A server is to be connected ahead of calls: not here, where its list is changed. */
    private void join(InetSocketAddress server) {
        try {
            // whether it works is what the first call would find out, too
            later(() -> connect(server).exceptionally(fault -> null));
        } catch (Throwable e) {
            LOG.debug("{} is not connected before it is called", server, e);
        }
    }

    /** {@return completes when all servers that are listed now are connected} */
    CompletableFuture<Void> connect() {
        return CompletableFuture.allOf(
                settings.servers().targets().stream()
                        .map(target -> connect(target.node().address()))
                        .toArray(CompletableFuture[]::new));
    }

    private CompletableFuture<Void> connect(InetSocketAddress server) {
        try {
            return protocol.connect(server);
        } catch (Throwable e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** A server left the list some time ago. Closing connections may run callbacks: not here. */
    private void leave(InetSocketAddress server) {
        try {
            later(() -> tellUnlessListed(server));
        } catch (Throwable e) {
            // if the node is closed, so are the connections
            LOG.debug("{} has left, which the channel cannot be told", server, e);
        }
    }

    private void tellUnlessListed(InetSocketAddress server) {
        try {
            if (!settings.servers().isListed(server)) {
                protocol.onUnlisted(server);
            }
        } catch (Throwable e) {
            Faults.warn(ExchangeCalls.class, "its connections cannot be closed", server, e);
        }
    }

    CallSettings settings() {
        return settings;
    }

    ClientProtocol protocol() {
        return protocol;
    }

    StreamTimer timer() {
        return timer;
    }

    /**
     * Runs something that calls foreign code: not on the timer, nor on a connection's thread.
     *
     * @throws RejectedExecutionException if the node is closed
     */
    void later(Runnable task) {
        worker.execute(task);
    }

    void close() {
        protocol.close();
    }

    /** Starts a call with streams. It is tried once: what was written cannot be sent again. */
    @Override
    public ClientStream start(ClientExchange<?, ?> exchange, Optional<Message> request) {
        long limitNs = exchange.limitNs();
        int timeoutMs =
                limitNs == Long.MAX_VALUE
                        ? -1
                        : Math.clamp(TimeUnit.NANOSECONDS.toMillis(limitNs), 1, Integer.MAX_VALUE);
        PendingCall chosen = new PendingCall(0);
        chosen.controller = exchange.controller();
        chosen.controller.method(exchange.method().descriptor());
        Target target = settings.servers().select(chosen);
        if (target == null) {
            TryFailure failure = settings.servers().noServer();
            throw new RpcException(failure.code(), failure.text());
        }
        // how long a stream lives says nothing about its server
        TryFeedback.report(target, 0, RpcError.ECANCELED.code());
        return protocol.start(
                request(
                        target,
                        exchange.method().descriptor(),
                        request,
                        timeoutMs,
                        exchange.controller()),
                exchange);
    }

    private static ClientRequest request(
            Target target,
            MethodDescriptor method,
            Optional<Message> request,
            int timeoutMs,
            ClientController controller) {
        return new ClientRequest(
                target.node().address(),
                method,
                request,
                timeoutMs,
                controller.requestCompressType().code(),
                controller.requestUserFields());
    }

    /** Starts a call with one request and one response, as {@link CallEngine#call} does. */
    void call(
            MethodDescriptor method,
            ClientController controller,
            Message request,
            Message responsePrototype,
            Consumer<Message> done) {
        settings.budget().deposit(System.nanoTime());
        new ExchangeCall(this, method, controller, request, responsePrototype, done).begin();
    }
}
