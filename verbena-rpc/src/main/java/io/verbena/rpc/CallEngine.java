// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.Message;
import io.verbena.completion.Faults;
import io.verbena.memory.BlockPool;
import io.verbena.memory.IOBuf;
import io.verbena.rpc.wire.FrameCutter;
import io.verbena.rpc.wire.MetaWriter;
import io.verbena.rpc.wire.RpcMeta;
import io.verbena.transport.Connection;
import io.verbena.transport.TransportException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves the calls of a process along: sends tries, handles answers, failures, deadlines and
 * cancellations, and reports the outcome to the caller once.
 *
 * <p>Threads: any. A thread claims a call before it changes it, see {@link PendingCall}. If an
 * answer, a deadline and a failure arrive at the same moment, one of them wins and the others find
 * nothing to do.
 *
 * <p>Foreign code may throw anything: a balancer, an authenticator, a message, a retry policy, a
 * callback. A thread that owns a call catches that, because a call that nobody gives up is never
 * over.
 */
final class CallEngine implements CallTimer.Listener {
    private static final Logger LOG = LoggerFactory.getLogger(CallEngine.class);

    private final BlockPool pool;
    private final RpcFlags flags;
    private final CallTable table = new CallTable();
    private final FrameBuilders builders;
    private final StreamContext streamContext;
    private final CallTimer timer;

    /**
     * Does what may wait for the owner of a call. A platform thread: a caller must learn that its
     * server is gone even while computing virtual threads occupy all carriers.
     */
    private final ExecutorService worker =
            Executors.newSingleThreadExecutor(
                    Thread.ofPlatform().daemon().name("verbena-rpc-worker").factory());

    CallEngine(BlockPool pool, RpcFlags flags, StreamContext streamContext) {
        this.pool = pool;
        this.flags = flags;
        this.streamContext = streamContext;
        this.builders = new FrameBuilders(pool);
        this.timer = new CallTimer(table, this, System::nanoTime);
    }

    void start() {
        timer.start();
    }

    BlockPool pool() {
        return pool;
    }

    FrameBuilders builders() {
        return builders;
    }

    StreamContext streamContext() {
        return streamContext;
    }

    long maxBodyBytes() {
        return BodyLimit.of(flags.number(RpcFlag.MAX_BODY_SIZE));
    }

    /** {@return what may run foreign code for a call that has no thread} */
    Executor worker() {
        return worker;
    }

    int underWay() {
        return table.underWay();
    }

    boolean isCalling(RemoteServer server) {
        return table.isCalling(server);
    }

    /**
     * Starts a call.
     *
     * @param settings the settings of its channel
     * @param names service and method, encoded, see {@link MetaWriter#names}
     * @param controller its controller, which belongs to the call until it is done
     * @param request what to send
     * @param responsePrototype an instance of the answer's class
     * @param done called once, with the answer, or with the prototype if the call failed
     */
    void call(
            CallSettings settings,
            byte[] names,
            ClientController controller,
            Message request,
            Message responsePrototype,
            Consumer<Message> done) {
        PendingCall call = table.take();
        if (call == PendingCall.NONE) {
            controller.outcome(
                    RpcError.ELIMIT.code(),
                    "[E" + RpcError.ELIMIT.code() + "]calls under way: " + CallId.MAX_PLACES);
            Completion.run(done, responsePrototype);
            return;
        }
        ChannelOptions options = settings.options();
        call.settings = settings;
        call.controller = controller;
        call.request = request;
        call.responsePrototype = responsePrototype;
        call.done = done;
        call.names = names;
        call.retriesLeft = controller.maxRetry(options.maxRetry());
        CallTimes.plan(call, controller, options);
        settings.budget().deposit(call.startNs);
        if (tryBegin(call)) {
            send(call, false);
        }
    }

    private boolean tryBegin(PendingCall call) {
        try {
            call.controller.begin(this, call.id());
            return true;
        } catch (Throwable e) {
            failOwned(
                    call, 0, TryFailure.of(RpcError.EINTERNAL, "the call cannot begin", e), false);
            return false;
        }
    }

    /** Sends a try of an owned call, and another if that fails at once. */
    private void send(PendingCall call, boolean mayRunInline) {
        while (true) {
            int attempt = CallId.attempt(call.id());
            TryFailure failure = trySend(call);
            if (failure.isNone() || !isToBeSentAgain(call, attempt, failure, mayRunInline)) {
                return;
            }
        }
    }

    /** {@return why the call has no connection, or NONE if it has one} The owner. */
    private static TryFailure tryConnect(PendingCall call) {
        try {
            CallSettings settings = call.settings;
            Target target = settings.servers().select(call);
            if (target == null) {
                return settings.servers().noServer();
            }
            call.tried.add(target.node());
            TryFeedback.begin(call, target);
            call.socket =
                    target.serverFor(call.isTcpForced)
                            .acquire(call.connectionType(), settings.options().connectTimeoutMs());
            call.credentials = call.socket.credentials();
            call.bindStreams();
            return TryFailure.NONE;
        } catch (TransportException e) {
            return TryFailure.of(e);
        } catch (RpcException e) {
            return TryFailure.of(e.code(), e.text());
        } catch (Throwable e) {
            return TryFailure.of(RpcError.EINTERNAL, "no connection for the call", e);
        }
    }

    /** {@return why the caller owns the call again, or NONE if it does not} */
    private TryFailure trySend(PendingCall call) {
        TryFailure unconnected = tryConnect(call);
        if (!unconnected.isNone()) {
            return unconnected;
        }
        ClientSocket socket = call.socket;
        long id = call.id();
        FrameBuilder builder = null;
        boolean isPublished = false;
        try {
            builder = builders.take();
            RequestFrame.build(
                    builder,
                    call,
                    deliveredTimeoutMs(call),
                    flags.isOn(RpcFlag.BAIDU_STD_CHECKSUM_WITH_ATTACHMENT));
            long wakeNs = call.wakeNs();
            boolean isAwaited = isAwaited(call.done, socket.connection());
            call.publish();
            isPublished = true;
            timer.expect(wakeNs);
            socket.write(builder, id, isAwaited);
            return TryFailure.NONE;
        } catch (Throwable e) {
            return isPublished && !call.tryClaim(id)
                    ? TryFailure.NONE
                    : TryFailure.unsent(e, isPublished);
        } finally {
            if (builder != null) {
                builders.giveBack(builder);
            }
        }
    }

    /**
     * {@return whether the caller waits for the answer, and may poll for it} If not, the connection
     * must.
     */
    private static boolean isAwaited(Consumer<Message> done, Connection connection) {
        if (done instanceof CallWaiter waiter) {
            waiter.sentOn(connection);
            return true;
        }
        connection.attend();
        return false;
    }

    private int deliveredTimeoutMs(PendingCall call) {
        if (!flags.isOn(RpcFlag.BAIDU_STD_PROTOCOL_DELIVER_TIMEOUT_MS)
                || CallTimes.isUnlimited(call)
                || call.controller.isOnlyOpening()) {
            return 0;
        }
        // the first try begins with its call: one look at the clock less
        boolean isFirst = CallId.attempt(call.id()) == 0;
        long leftNs = isFirst ? call.timeoutNs : call.deadlineNs - System.nanoTime();
        long left = TimeUnit.NANOSECONDS.toMillis(leftNs);
        return Math.clamp(left, 1, Integer.MAX_VALUE);
    }

    /** {@return whether the caller still owns the call and must send it again} */
    private boolean isToBeSentAgain(
            PendingCall call, int attempt, TryFailure failure, boolean mayRunInline) {
        // asked before the connection goes back: it knows what part of the time was spent on it
        boolean isTimeLeft = CallTimes.isTimeLeft(call);
        TryFeedback.failed(call, attempt, failure.code());
        releaseTry(call, attempt, failure);
        call.drop(attempt);
        if (call.isAnyUnderWay()) {
            CallHistory.note(call, attempt, failure);
            call.publish();
            timer.expect(call.wakeNs());
            return false;
        }
        RetryVerdict verdict =
                call.retriesLeft > 0 && isTimeLeft
                        ? RetryVerdict.of(call, failure.code(), attempt)
                        : RetryVerdict.NO;
        if (verdict.isRetried() && call.settings.budget().tryTake()) {
            call.retriesLeft--;
            call.isTcpForced |= verdict.isOverTcp();
            CallHistory.note(call, attempt, failure);
            if (verdict.backoffNs() > 0) {
                sendLater(call, verdict.backoffNs());
                return false;
            }
            call.nextAttempt();
            return true;
        }
        String text = verdict.text(CallHistory.describe(call, attempt, failure));
        int code = verdict.code(failure.code());
        call.end();
        finish(call, code, text, call.responsePrototype, System.nanoTime(), mayRunInline);
        return false;
    }

    /** Gives up an owned call until the timer says that its next try is due. */
    private void sendLater(PendingCall call, long backoffNs) {
        CallTimes.planRetry(call, backoffNs);
        long expectedNs = call.wakeNs();
        call.publish();
        timer.expect(expectedNs);
    }

    private void sendAgain(long id) {
        PendingCall call = table.find(id);
        if (call.tryOwn(id)) {
            call.nextAttempt();
            send(call, false);
        }
    }

    /** Returns the connection of a finished try, if calls do not share connections. */
    private static void releaseTry(PendingCall call, int attempt, TryFailure failure) {
        ConnectionType type = call.connectionType();
        if (type == ConnectionType.SINGLE) {
            return;
        }
        boolean isLatest = attempt == CallId.attempt(call.id());
        ClientSocket socket = isLatest ? call.socket : call.otherSocket;
        if (isLatest) {
            call.socket = null;
        } else {
            call.otherSocket = null;
        }
        if (socket != null) {
            // the server has answered, so the connection is free for the next call
            boolean isGood = failure.isFromServer() && socket.isUsable();
            release(socket, type, isGood);
        }
    }

    private static void release(ClientSocket socket, ConnectionType type, boolean isGood) {
        try {
            socket.owner().release(socket, type, isGood);
        } catch (Throwable e) {
            Faults.warn(CallEngine.class, "releasing it failed", socket, e);
        }
    }

    /**
     * Takes an answer from the front of the buffer.
     *
     * @param socket the connection it came from
     * @param cutter holds its meta
     * @param received starts with the answer
     * @param answer decodes it
     */
    void onAnswer(ClientSocket socket, FrameCutter cutter, IOBuf received, ResponseFrame answer) {
        RpcMeta meta = cutter.meta();
        long id = meta.correlationId();
        PendingCall call = table.find(id);
        Message prototype = call.prototypeOf(id);
        if (prototype == null) {
            socket.refuseStreams(meta);
            cutter.skip(received);
        } else if (meta.errorCode() == 0) {
            onMessage(socket, cutter, received, answer, call, prototype);
        } else {
            TryFailure failure = TryFailure.fromServer(meta);
            cutter.skip(received);
            if (isClaimed(call, id, socket)) {
                failOwned(call, CallId.attempt(id), failure, true);
            }
        }
    }

    /**
     * An answer is too large to be taken: only its call fails.
     *
     * @param socket the connection it comes from
     * @param cutter holds its meta
     */
    void onTooLarge(ClientSocket socket, FrameCutter cutter) {
        long id = cutter.meta().correlationId();
        PendingCall call = table.find(id);
        TryFailure failure =
                TryFailure.of(RpcError.ERESPONSE, BaiduProtocol.tooLarge(cutter, maxBodyBytes()));
        if (isClaimed(call, id, socket)) {
            failOwned(call, CallId.attempt(id), failure, true);
        }
    }

    /** Decodes first: a deadline that passes meanwhile ends the call. */
    private void onMessage(
            ClientSocket socket,
            FrameCutter cutter,
            IOBuf received,
            ResponseFrame answer,
            PendingCall call,
            Message prototype) {
        long left = received.size() - cutter.frameSize();
        long id = cutter.meta().correlationId();
        boolean isClaimed = false;
        try {
            answer.decode(cutter, received, prototype, maxBodyBytes());
            isClaimed = isClaimed(call, id, socket);
            if (isClaimed) {
                call.end();
                answer.moveTo(cutter, received, call.controller);
                socket.connectStreams(cutter.meta(), call.controller);
            } else {
                socket.refuseStreams(cutter.meta());
            }
        } finally {
            answer.clear();
            received.popFront(received.size() - left);
        }
        Message message = answer.takeMessage();
        if (isClaimed) {
            finishAnswered(call, CallId.attempt(id), socket, message);
        }
    }

    /** {@return whether the caller now owns a call that waits for an answer from a connection} */
    private static boolean isClaimed(PendingCall call, long id, ClientSocket socket) {
        if (!call.tryClaim(id)) {
            return false;
        }
        if (call.isOn(CallId.attempt(id), socket)) {
            return true;
        }
        // the server answered a call that was never sent to it
        call.publish();
        return false;
    }

    private void finishAnswered(
            PendingCall call, int attempt, ClientSocket socket, Message message) {
        TryFeedback.answered(call, attempt);
        ConnectionType type = call.connectionType();
        if (type != ConnectionType.SINGLE) {
            ClientSocket other = call.socket == socket ? call.otherSocket : call.socket;
            release(socket, type, socket.isUsable());
            if (other != null && other != socket) {
                release(other, type, false);
            }
            call.socket = null;
            call.otherSocket = null;
        }
        call.controller.connection(socket.connection());
        ClientController controller = call.controller;
        finish(
                call,
                controller.errorCode(),
                controller.errorText(),
                message,
                socket.receivedNs(),
                true);
    }

    /** A try has failed after it was sent. Any thread. */
    void onTryFailed(long id, TryFailure failure) {
        PendingCall call = table.find(id);
        if (call.tryClaim(id)) {
            failOwned(call, CallId.attempt(id), failure, true);
        }
    }

    private void failOwned(
            PendingCall call, int attempt, TryFailure failure, boolean mayRunInline) {
        if (isToBeSentAgain(call, attempt, failure, mayRunInline)) {
            send(call, mayRunInline);
        }
    }

    /** A connection has ended. Its thread, which may own a call at this moment. */
    void onClose(ClientSocket socket, TransportException reason) {
        later(() -> onSocketClosed(socket, reason));
    }

    /** Has its worker do something, unless the node is closed. */
    private void later(Runnable task) {
        try {
            worker.execute(task);
        } catch (RejectedExecutionException e) {
            LOG.debug("the node is closed, and all its calls are over", e);
        }
    }

    /** A connection has ended: the tries on it have failed. */
    private void onSocketClosed(ClientSocket socket, TransportException reason) {
        TryFailure failure = TryFailure.of(reason);
        int capacity = table.capacity();
        for (int place = 0; place < capacity; place++) {
            PendingCall call = table.at(place);
            long seen = call.stateWord();
            int phase = PendingCall.phase(seen);
            if (phase == PendingCall.FREE
                    || phase == PendingCall.ENDING
                    || phase == PendingCall.WAITING && !call.mayBeOn(socket)
                    || !call.tryOwn(PendingCall.id(seen))) {
                continue;
            }
            int attempt = TryFeedback.failedOn(call, socket, failure);
            if (attempt >= 0) {
                failOwned(call, attempt, failure, true);
            } else {
                call.publish();
            }
        }
    }

    /** The caller cancels a call. Any thread. */
    void cancel(long id) {
        PendingCall call = table.find(id);
        if (call.tryOwn(id)) {
            int code = RpcError.ECANCELED.code();
            abandon(call, code, "[E" + code + "]canceled by the caller");
        }
    }

    @Override
    public void onWake(PendingCall call, long nowNs) {
        if (nowNs - call.deadlineNs >= 0 && !CallTimes.tryExtend(call, nowNs)) {
            TryFeedback.tellLater(call, nowNs, RpcError.ERPCTIMEDOUT.code(), this::later);
            abandon(call, RpcError.ERPCTIMEDOUT.code(), CallTimes.timedOut(call));
            return;
        }
        boolean isBackupDue = call.isBackupPlanned && call.retriesLeft > 0;
        boolean isRetryDue = call.isRetryPlanned && nowNs - call.retryNs >= 0;
        call.isBackupPlanned = false;
        call.isRetryPlanned &= !isRetryDue;
        CallTimes.planWake(call);
        long wakeNs = call.wakeNs();
        long id = call.id();
        call.publish();
        timer.expect(wakeNs);
        if (isBackupDue) {
            // Not on this thread: choosing a server and connecting take time, and deadlines must
            // not wait.
            later(() -> sendBackup(id));
        } else if (isRetryDue) {
            later(() -> sendAgain(id));
        }
    }

    private void sendBackup(long id) {
        PendingCall call = table.find(id);
        if (!call.tryClaim(id)) {
            return;
        }
        if (call.retriesLeft == 0 || !call.settings.budget().tryTake()) {
            call.publish();
            return;
        }
        call.retriesLeft--;
        call.controller.hasBackupRequest(true);
        CallTimes.noteConnecting(call, System.nanoTime());
        call.nextAttemptBeside();
        send(call, false);
    }

    /** Ends an owned call whose tries are under way. */
    private void abandon(PendingCall call, int code, String text) {
        call.end();
        ConnectionType type = call.connectionType();
        if (type != ConnectionType.SINGLE) {
            if (call.socket != null) {
                release(call.socket, type, false);
            }
            if (call.otherSocket != null) {
                release(call.otherSocket, type, false);
            }
        }
        finish(
                call,
                code,
                CallHistory.withHistory(call, text),
                call.responsePrototype,
                System.nanoTime(),
                false);
    }

    /** Reports the outcome of a call that has ended. Never throws. */
    private void finish(
            PendingCall call,
            int code,
            String text,
            Message result,
            long nowNs,
            boolean mayRunInline) {
        ClientController controller = call.controller;
        Consumer<Message> done = call.done;
        controller.outcome(code, text);
        controller.latencyNs(nowNs - call.startNs);
        controller.retriedCount(CallId.attempt(call.id()));
        TryFeedback.ended(call, nowNs, code);
        boolean isInline =
                mayRunInline && call.settings.options().isCallbackInline()
                        || Completion.isQuick(done);
        call.free();
        table.giveBack(call);
        if (isInline) {
            Completion.runHere(done, result);
        } else {
            Completion.run(done, result);
        }
    }

    /** Ends its threads, and all calls under way: nothing else would end them. */
    void stop() throws InterruptedException {
        worker.shutdown();
        timer.stop();
        int code = RpcError.ECLOSE.code();
        for (int place = 0; place < table.capacity(); place++) {
            PendingCall call = table.at(place);
            if (call.tryOwn(call.id())) {
                abandon(call, code, "[E" + code + "]the node is closed");
            }
        }
    }
}
