// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.Message;
import io.verbena.completion.Faults;
import io.verbena.memory.BlockPool;
import io.verbena.memory.IOBuf;
import io.verbena.rpc.wire.FrameCutter;
import io.verbena.rpc.wire.MetaWriter;
import io.verbena.rpc.wire.RpcMeta;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
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

    private static final TryFailure CANCELED =
            TryFailure.of(RpcError.ECANCELED, "canceled by the caller");

    /** When a retry that was due is tried again because there was no memory to begin it. */
    private static final long RETRY_AGAIN_NS = 10_000_000;

    private final BlockPool pool;
    private final RpcFlags flags;
    private final CallTable table = new CallTable();
    private final FrameBuilders builders;
    private final StreamContext streamContext;
    private final CallTimer timer;
    private final TrySender sender;
    private final BodyLimit bodyLimit;

    private final LostTries lostTries;

    /** Made once: a thread that owns a call may find no memory. */
    private final Consumer<Runnable> soon = this::later;

    /** Does what may wait for the owner of a call, or runs foreign code for it. */
    private final CallWorker worker;

    CallEngine(BlockPool pool, RpcFlags flags, StreamContext streamContext) {
        this.pool = pool;
        this.flags = flags;
        this.bodyLimit = new BodyLimit(pool);
        this.streamContext = streamContext;
        this.builders = new FrameBuilders(pool);
        this.timer = new CallTimer(table, this, System::nanoTime);
        this.sender = new TrySender(builders, flags, timer);
        this.worker = new CallWorker();
        this.lostTries =
                new LostTries(
                        table,
                        (call, attempt, failure) -> failOwned(call, attempt, failure, true),
                        soon);
    }

    void start() {
        worker.start();
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
        return bodyLimit.of(flags.number(RpcFlag.MAX_BODY_SIZE));
    }

    /** {@return what to say about a frame that is too large} */
    String tooLarge(FrameCutter cutter) {
        return bodyLimit.refusal(cutter.bodySize(), maxBodyBytes());
    }

    /** {@return what may run foreign code for a call that has no thread} */
    Executor worker() {
        return worker;
    }

    CallTable table() {
        return table;
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
            CallNotifier.run(done, responsePrototype);
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
            TryFailure failure = sender.trySend(call);
            if (failure.isNone() || !isToBeSentAgain(call, attempt, failure, mayRunInline)) {
                return;
            }
        }
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
        TryFailure failure = TryFailure.of(RpcError.ERESPONSE, tooLarge(cutter));
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
        if (call.isHeld(id)) {
            later(() -> failTry(call, id, failure));
        } else {
            failTry(call, id, failure);
        }
    }

    private void failTry(PendingCall call, long id, TryFailure failure) {
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
    void onClose(ClientSocket socket) {
        try {
            later(() -> lostTries.onClose(socket));
        } catch (OutOfMemoryError e) {
            // no memory for the task; callers who never learn the outcome would be worse
            lostTries.onClose(socket);
        }
    }

    /** Has its worker do something, unless the node is closed. */
    private void later(Runnable task) {
        try {
            worker.execute(task);
        } catch (RejectedExecutionException e) {
            LOG.debug("the node is closed, and all its calls are over", e);
        }
    }

    /** The caller cancels a call. Any thread. */
    void cancel(long id) {
        PendingCall call = table.find(id);
        if (call.isHeld(id)) {
            later(() -> cancelSoon(call, id));
        } else {
            cancelSoon(call, id);
        }
    }

    private void cancelSoon(PendingCall call, long id) {
        if (call.tryOwn(id)) {
            abandon(call, CANCELED.code(), CANCELED.text());
        }
    }

    @Override
    public void onWake(PendingCall call, long nowNs) {
        if (nowNs - call.deadlineNs >= 0 && !CallTimes.tryExtend(call, nowNs)) {
            TryFeedback.tellLater(call, nowNs, RpcError.ERPCTIMEDOUT.code(), soon);
            abandon(call, RpcError.ERPCTIMEDOUT.code(), CallTimes.timedOut(call));
            return;
        }
        boolean isBackupDue = call.isBackupPlanned && call.retriesLeft > 0;
        boolean isRetryDue = call.isRetryPlanned && nowNs - call.retryNs >= 0;
        long id = call.id();
        call.isBackupPlanned = false;
        if (isRetryDue) {
            // handed over before it is forgotten: a call without a deadline has nothing else
            call.isRetryPlanned = !isHandedOver(id, false);
            call.retryNs = nowNs + RETRY_AGAIN_NS;
        }
        CallTimes.planWake(call);
        long wakeNs = call.wakeNs();
        call.publish();
        timer.expect(wakeNs);
        if (isBackupDue) {
            // if that fails, the first try goes on
            boolean _ = isHandedOver(id, true);
        }
    }

    /**
     * {@return whether the worker sends the next try of a call, once nobody owns it} Not on this
     * thread: choosing a server and connecting take time, and deadlines must not wait.
     */
    private boolean isHandedOver(long id, boolean isBackup) {
        try {
            later(isBackup ? () -> sendBackup(id) : () -> sendAgain(id));
            return true;
        } catch (Throwable e) {
            Faults.warn(CallEngine.class, "a try could not be begun", "the timer", e);
            return false;
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
                        || CallNotifier.isQuick(done);
        call.free();
        table.giveBack(call);
        if (isInline) {
            CallNotifier.runHere(done, result);
        } else {
            CallNotifier.run(done, result);
        }
    }

    /** Ends its threads, and all calls under way: nothing else would end them. */
    void stop() throws InterruptedException {
        worker.shutdown();
        timer.stop();
        TryFailure closed = TryFailure.of(RpcError.ECLOSE, "the node is closed");
        for (int place = 0; place < table.capacity(); place++) {
            PendingCall call = table.at(place);
            if (call.tryOwn(call.id())) {
                abandon(call, closed.code(), closed.text());
            }
        }
    }
}
