// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.Descriptors.ServiceDescriptor;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import io.verbena.completion.EnduringTask;
import io.verbena.completion.Faults;
import io.verbena.memory.BlockPool;
import io.verbena.rpc.server.MethodRegistry;
import io.verbena.rpc.server.Placement;
import io.verbena.rpc.server.ServiceMethod;
import io.verbena.rpc.spi.ClusterStatus;
import io.verbena.rpc.spi.FlagRegistry;
import io.verbena.rpc.spi.ServerMethod;
import io.verbena.rpc.spi.ServerRequest;
import io.verbena.rpc.spi.ServerView;
import io.verbena.rpc.wire.FrameCutter;
import io.verbena.transport.Connection;
import io.verbena.transport.SocketMode;
import io.verbena.transport.TransportFlag;
import io.verbena.transport.TransportServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * Handles calls of all protocols: makes the checks in brpc's order, and runs the services. Any
 * thread.
 */
final class ServerCore implements ServerView {
    private final RpcNode node;
    private final ServerOptions options;
    private final MethodRegistry methods;
    private final ServerInterceptor[] interceptors;
    private final long maxUnwrittenBytes;
    private final Instant startedAt = Instant.now();
    private final ServerGate gate = new ServerGate();
    private final PageGuard pages;
    private final FailedAttempts failures = new FailedAttempts();
    private final RequestWatch requests;

    /** The public one comes first. */
    private volatile List<TransportServer> listeners = List.of();

    ServerCore(RpcNode node, ServerOptions options, MethodRegistry methods) {
        this.node = node;
        this.options = options;
        this.methods = methods;
        this.pages = new PageGuard(options);
        this.requests =
                new RequestWatch(
                        () -> node.flags().number(RpcFlag.REQUEST_TIMEOUT_MS), System::nanoTime);
        this.interceptors = options.interceptors().toArray(ServerInterceptor[]::new);
        this.maxUnwrittenBytes =
                node.transport().flags().number(TransportFlag.SOCKET_MAX_UNWRITTEN_BYTES);
    }

    void listensOn(List<TransportServer> servers) {
        listeners = List.copyOf(servers);
    }

    @Override
    public BlockPool pool() {
        return node.pool();
    }

    @Override
    public long maxUnwrittenBytes() {
        return maxUnwrittenBytes;
    }

    StreamTimer streamTimer() {
        return node.streamTimer();
    }

    StreamContext streamContext() {
        return node.streamContext();
    }

    FrameBuilders builders() {
        return node.engine().builders();
    }

    ServerOptions options() {
        return options;
    }

    MethodRegistry registry() {
        return methods;
    }

    ServerGate gate() {
        return gate;
    }

    PageGuard pages() {
        return pages;
    }

    FailedAttempts failures() {
        return failures;
    }

    RequestWatch requests() {
        return requests;
    }

    @Override
    public long failedAuthentications() {
        return failures.total();
    }

    @Override
    public long droppedConnections() {
        return listeners.stream().mapToLong(TransportServer::droppedConnections).sum();
    }

    @Override
    public long refusedQueuePairs() {
        return listeners.stream().mapToLong(TransportServer::refusedQueuePairs).sum();
    }

    /** Runs something short after a while, on a thread that all servers share. */
    void later(Runnable task, long delayMs) {
        try {
            var _ = node.chores().schedule(() -> run(task), delayMs, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            // the node is closed, and soon its connections
            run(task);
        }
    }

    @Override
    public Set<String> trustedOrigins() {
        return options.pageAccess().trustedOrigins();
    }

    @Override
    public long maxBodyBytes() {
        return node.engine().maxBodyBytes();
    }

    /** {@return what to say about a frame that is too large} */
    String tooLarge(FrameCutter cutter) {
        return node.engine().tooLarge(cutter);
    }

    /** {@return whether the checksums of answers also cover attachments} */
    boolean isAttachmentCovered() {
        return node.flags().isOn(RpcFlag.BAIDU_STD_CHECKSUM_WITH_ATTACHMENT);
    }

    @Override
    public Collection<ServiceDescriptor> services() {
        return methods.services();
    }

    @Override
    public Collection<ServerMethod> methods() {
        return List.copyOf(methods.methods());
    }

    @Override
    public Optional<ServerMethod> findMethod(String service, String method) {
        return methods.find(service, method).map(ServerMethod.class::cast);
    }

    @Override
    public boolean hasBuiltinServices() {
        return options.hasBuiltinServices();
    }

    @Override
    public FlagRegistry flags() {
        return new NodeFlags(node.flags(), node.transport());
    }

    @Override
    public SocketMode socketMode() {
        return options.socketMode();
    }

    @Override
    public Collection<Connection> connections() {
        return listeners.stream()
                .<Connection>flatMap(server -> server.connections().stream())
                .toList();
    }

    @Override
    public InetSocketAddress address() {
        return listeners.getFirst().localAddress();
    }

    @Override
    public Instant startedAt() {
        return startedAt;
    }

    @Override
    public boolean isStopping() {
        return gate.isShut();
    }

    @Override
    public int concurrency() {
        return gate.calls();
    }

    @Override
    public int maxConcurrency() {
        return options.maxConcurrency();
    }

    @Override
    public Collection<ClusterStatus> clusters() {
        return node.clusters();
    }

    @Override
    public int clientCalls() {
        return node.callsUnderWay();
    }

    @Override
    public Future<?> everySecond(Runnable chore) {
        EnduringTask again = new EnduringTask(() -> run(chore));
        return node.chores().scheduleAtFixedRate(again::tryRun, 1, 1, TimeUnit.SECONDS);
    }

    /** An executor drops a chore that throws. */
    private static void run(Runnable chore) {
        try {
            chore.run();
        } catch (Throwable e) {
            Faults.warn(ServerCore.class, "a chore failed", chore, e);
        }
    }

    @Override
    public boolean tryHold() {
        return gate.tryHold();
    }

    @Override
    public void release() {
        gate.sent();
    }

    /** Accepts a call from a protocol of the SPI. */
    void accept(ServerSession session, ServerRequest request) {
        ProtocolCall call = new ProtocolCall(session, request);
        // not in the catch clause: the first use of a text takes memory
        String what = "the call cannot be accepted";
        try {
            accept(call, request);
        } catch (Throwable e) {
            call.onFault(what, e);
        }
    }

    private void accept(ProtocolCall call, ServerRequest request) {
        request.prepare(call);
        if (!enter(call)) {
            return;
        }
        Optional<ServiceMethod> method = methods.find(request.serviceName(), request.methodName());
        if (method.isPresent()) {
            proceed(call, method.get());
        } else {
            refuseUnknown(call, request.serviceName(), request.methodName());
        }
    }

    /** {@return whether the server accepts the call; if not, it has been answered} */
    boolean enter(IncomingCall call) {
        int now = gate.enter();
        if (now == ServerGate.REFUSED) {
            call.fail(RpcError.ELOGOFF, "the server is stopping");
            return false;
        }
        call.counted();
        int most = options.maxConcurrency();
        if (most > 0 && now > most) {
            call.fail(RpcError.ELIMIT, "reached the server's max_concurrency=" + most);
            return false;
        }
        return true;
    }

    /** Answers a call of a method that does not exist; brpc looks up full names as a whole. */
    void refuseUnknown(IncomingCall call, String service, String method) {
        if (service.indexOf('.') < 0 && methods.service(service).isEmpty()) {
            call.fail(
                    RpcError.ENOSERVICE, "service: " + service + " (expected: one of this server)");
        } else {
            call.fail(
                    RpcError.ENOMETHOD,
                    "method: " + service + "/" + method + " (expected: one of this server)");
        }
    }

    /** Makes the checks that follow the look-up, and runs the service. */
    void proceed(IncomingCall call, ServiceMethod method) {
        Connection connection = call.session().transport();
        long unwritten = connection.unwrittenBytes() + call.waitingBytes();
        if (!options.ignoreEovercrowded() && unwritten >= maxUnwrittenBytes) {
            call.fail(
                    RpcError.EOVERCROWDED,
                    "the connection to " + connection.remoteAddress() + " accepts no more answers");
            return;
        }
        if (!method.status().tryEnter(call.timeoutMs())) {
            call.fail(
                    RpcError.ELIMIT,
                    "rejected by the limiter of "
                            + method
                            + ", max_concurrency="
                            + method.status().maxConcurrency());
            return;
        }
        call.entered(method);
        if (method.isNonBlocking()) {
            serve(call);
        } else if (method.isStreaming()) {
            startServing(call);
        } else {
            serveApart(call, method.placement());
        }
    }

    /** Runs an ordinary service: where its request was read if that is quick, or else apart. */
    private void serveApart(IncomingCall call, Placement placement) {
        if (!placement.isInPlace()
                || !call.session().transport().tryPlace(() -> serveInPlace(call, placement))) {
            startServing(call);
        }
    }

    private void startServing(IncomingCall call) {
        Thread.ofVirtual().name("verbena-rpc-call").start(() -> serve(call));
    }

    private void serveInPlace(IncomingCall call, Placement placement) {
        long startNs = System.nanoTime();
        serve(call);
        placement.onRun(System.nanoTime() - startNs);
    }

    private void serve(IncomingCall call) {
        String what = "the interceptor failed";
        try {
            if (isIntercepted(call)) {
                return;
            }
            what = "the request cannot be decoded";
            Message request = decode(call);
            if (request == null) {
                return;
            }
            handle(call, request);
        } catch (Throwable e) {
            // anything: a service may throw errors, and checked exceptions that nobody declared
            call.onFault(what, e);
        }
    }

    /** Nothing that the service throws comes back from here: it is answered. */
    private void handle(IncomingCall call, Message request) {
        if (call.method().isNonBlocking() || call.timeoutMs() <= 0) {
            handleHere(call, request);
        } else {
            CurrentCall.run(call, () -> handleHere(call, request));
        }
    }

    private void handleHere(IncomingCall call, Message request) {
        if (interceptors.length > 0) {
            call.intercept(new ServerChain(interceptors, call), request);
            return;
        }
        try {
            call.method().handler().handle(call, request);
        } catch (Throwable e) {
            ServiceFaults.answer(call, e);
        }
    }

    /** {@return the request, or null if it is malformed; the call has then been answered} */
    private static Message decode(IncomingCall call) {
        if (call.method().descriptor().isClientStreaming()) {
            return call.method().requestPrototype();
        }
        try {
            return Objects.requireNonNull(
                    call.decode(call.method().requestPrototype()), "the request");
        } catch (InvalidProtocolBufferException e) {
            call.fail(RpcError.EREQUEST, "the request cannot be parsed: " + e.getMessage());
        } catch (IOException e) {
            call.fail(RpcError.EREQUEST, "the request is malformed: " + e.getMessage());
        }
        return null;
    }

    private boolean isIntercepted(IncomingCall call) {
        if (options.interceptor().isEmpty() || options.interceptor().get().accept(call)) {
            return false;
        }
        if (call.failed()) {
            call.run(null);
        } else {
            call.fail(RpcError.EREJECT, "rejected by the interceptor");
        }
        return true;
    }
}
