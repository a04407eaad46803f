// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Message;
import io.verbena.completion.Faults;
import io.verbena.rpc.spi.ClientRequest;
import io.verbena.rpc.spi.ClientStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * A call with one request and one response over another protocol than {@code baidu_std}: its tries,
 * one after the other, or two side by side if one of them is a backup request. Any thread.
 */
final class ForeignCall {
    private final ForeignCalls channel;
    private final CallSettings settings;
    private final MethodDescriptor method;
    private final ClientController controller;
    private final Message request;
    private final Message responsePrototype;
    private final Consumer<Message> done;

    /** Taken from the controller at once: the caller may use it again while a try is sent. */
    private final Map<String, String> userFields;

    private final int compressType;
    private final int backupMs;
    private final int timeoutMs;
    private final long startNs = System.nanoTime();
    private final long deadlineNs;

    /** Guards all that follows. The only foreign code under it are balancer and retry policy. */
    private final ReentrantLock lock = new ReentrantLock();

    /** What balancers see of the call, and which servers it has tried. */
    private final PendingCall tried = new PendingCall(0);

    private final List<ForeignTry> underWay = new ArrayList<>(2);
    private final List<Future<?>> planned = new ArrayList<>(2);
    private int retriesLeft;
    private boolean isOver;

    ForeignCall(
            ForeignCalls channel,
            MethodDescriptor method,
            ClientController controller,
            Message request,
            Message responsePrototype,
            Consumer<Message> done) {
        this.channel = channel;
        this.settings = channel.settings();
        this.method = method;
        this.controller = controller;
        this.request = request;
        this.responsePrototype = responsePrototype;
        this.done = done;
        this.userFields = Map.copyOf(controller.requestUserFields());
        this.compressType = controller.requestCompressType().code();
        this.tried.controller = controller;
        this.retriesLeft = controller.maxRetry(settings.options().maxRetry());
        int ownMs = controller.timeoutMs(settings.options().timeoutMs());
        long limitNs =
                Math.min(
                        CurrentCall.remainingNs(),
                        ownMs < 0 ? Long.MAX_VALUE : TimeUnit.MILLISECONDS.toNanos(ownMs));
        boolean isUnlimited = limitNs == Long.MAX_VALUE;
        this.deadlineNs = startNs + (isUnlimited ? TimeUnit.DAYS.toNanos(36_500) : limitNs);
        this.timeoutMs =
                isUnlimited
                        ? -1
                        : Math.clamp(TimeUnit.NANOSECONDS.toMillis(limitNs), 1, Integer.MAX_VALUE);
        int afterMs = controller.backupRequestMs(settings.options().backupRequestMs());
        this.backupMs = afterMs >= 0 && (isUnlimited || afterMs < timeoutMs) ? afterMs : -1;
    }

    Message responsePrototype() {
        return responsePrototype;
    }

    void begin() {
        controller.begin(() -> abandon(RpcError.ECANCELED, "canceled by the caller"));
        if (timeoutMs >= 0) {
            plan(
                    deadlineNs - startNs,
                    () -> abandon(RpcError.ERPCTIMEDOUT, "reached timeout=" + timeoutMs + "ms"));
        }
        send(true);
        if (backupMs >= 0) {
            plan(TimeUnit.MILLISECONDS.toNanos(backupMs), () -> later(this::sendBackup));
        }
    }

    /** Has the timer do something, unless the call is over. */
    private void plan(long delayNs, Runnable action) {
        lock.lock();
        try {
            if (!isOver) {
                planned.add(channel.timer().schedule(delayNs, action));
            }
        } finally {
            lock.unlock();
        }
    }

    private void send(boolean isFirst) {
        ForeignTry next = null;
        int attempt = 0;
        TryFailure failure = TryFailure.NONE;
        lock.lock();
        try {
            if (isOver) {
                return;
            }
            if (!isFirst) {
                tried.nextAttempt();
            }
            attempt = CallId.attempt(tried.id());
            Target target = settings.servers().select(tried);
            if (target == null) {
                failure = settings.servers().noServer();
            } else {
                tried.tried.add(target.node());
                next = new ForeignTry(this, attempt, target);
                underWay.add(next);
            }
        } catch (RpcException e) {
            failure = TryFailure.of(e.code(), e.text());
        } catch (Throwable e) {
            failure = TryFailure.of(RpcError.EINTERNAL, "the call cannot begin", e);
        } finally {
            lock.unlock();
        }
        if (next == null) {
            failed(Optional.empty(), attempt, failure);
        } else {
            start(next);
        }
    }

    private void start(ForeignTry next) {
        try {
            long leftMs = TimeUnit.NANOSECONDS.toMillis(deadlineNs - System.nanoTime());
            ClientRequest sent =
                    new ClientRequest(
                            next.target().node().address(),
                            method,
                            Optional.of(request),
                            timeoutMs < 0 ? -1 : Math.clamp(leftMs, 1, timeoutMs),
                            compressType,
                            userFields);
            next.started(channel.protocol().start(sent, next));
        } catch (Throwable e) {
            TryFailure failure = TryFailure.of(RpcError.EINTERNAL, "the call cannot begin", e);
            next.onOver(failure.code(), failure.text());
        }
    }

    /** The first try takes long: a second one goes beside it. */
    private void sendBackup() {
        lock.lock();
        try {
            // none is under way while a retry waits for its time
            if (isOver || underWay.isEmpty() || retriesLeft <= 0 || !settings.budget().tryTake()) {
                return;
            }
            retriesLeft--;
            controller.hasBackupRequest(true);
        } finally {
            lock.unlock();
        }
        send(false);
    }

    /**
     * A try has failed: another one follows or goes on already, or the call is over.
     *
     * @param which the try; empty if it found no server
     * @param attempt its number
     * @param failure why
     */
    void failed(Optional<ForeignTry> which, int attempt, TryFailure failure) {
        RetryVerdict verdict;
        String text;
        lock.lock();
        try {
            which.ifPresent(underWay::remove);
            if (isOver) {
                return;
            }
            if (!underWay.isEmpty()) {
                CallHistory.note(tried, attempt, failure);
                return;
            }
            verdict =
                    retriesLeft > 0 && deadlineNs - System.nanoTime() > 0
                            ? RetryVerdict.of(
                                    settings.options().retryPolicy(), failure.code(), attempt)
                            : RetryVerdict.NO;
            if (verdict.isRetried() && settings.budget().tryTake()) {
                retriesLeft--;
                CallHistory.note(tried, attempt, failure);
                text = null;
            } else {
                text = verdict.text(CallHistory.describe(tried, attempt, failure));
            }
        } catch (Throwable e) { // nobody else ends the call before its deadline
            Faults.warn(ForeignCall.class, "a retry could not be planned", method.getName(), e);
            verdict = RetryVerdict.NO;
            text = failure.text();
        } finally {
            lock.unlock();
        }
        if (text != null) {
            finish(which, verdict.code(failure.code()), text, RpcError.ECANCELED);
        } else if (verdict.backoffNs() > 0) {
            plan(verdict.backoffNs(), () -> later(() -> send(false)));
        } else {
            later(() -> send(false));
        }
    }

    /**
     * Not on this thread, which may be a connection's, nor on the timer's: deadlines must not wait.
     */
    private void later(Runnable step) {
        try {
            channel.later(step);
        } catch (RejectedExecutionException e) {
            int code = RpcError.ECLOSE.code();
            finish(Optional.empty(), code, "[E" + code + "]the node is closed", RpcError.ECANCELED);
        } catch (Throwable e) {
            // no memory for the task; a caller who never learns the outcome would be worse
            TryFailure failure = TryFailure.of(RpcError.EINTERNAL, "the call cannot go on", e);
            finish(Optional.empty(), failure.code(), failure.text(), RpcError.ECANCELED);
        }
    }

    /** A try has brought a response. */
    void succeeded(ForeignTry which, ClientStream from, Message response) {
        List<ForeignTry> overtaken = end(Optional.of(which));
        if (overtaken == null) {
            return;
        }
        TryFailure failure = TryFailure.NONE;
        try {
            from.responseUserFields().forEach(controller.responseUserFields()::put);
            from.connection().ifPresent(controller::connection);
        } catch (Throwable e) {
            // nobody else ends the call now
            failure = TryFailure.of(RpcError.EINTERNAL, "the response cannot be taken", e);
        }
        overtaken.forEach(each -> each.tell(RpcError.EBACKUPREQUEST.code()));
        if (failure.isNone()) {
            report(0, "", response);
        } else {
            report(failure.code(), failure.text(), responsePrototype);
        }
        overtaken.forEach(ForeignTry::cancel);
    }

    /** A try has brought a response that cannot be read. */
    void unreadable(ForeignTry which, int code, String text) {
        finish(Optional.of(which), code, text, RpcError.EBACKUPREQUEST);
    }

    /** The caller does not wait any longer. The timer, or the thread that cancels. */
    private void abandon(RpcError error, String text) {
        String all;
        lock.lock();
        try {
            all = CallHistory.withHistory(tried, "[E" + error.code() + "]" + text);
        } finally {
            lock.unlock();
        }
        List<ForeignTry> left = end(Optional.empty());
        if (left != null) {
            // now: an answer that comes before the worker does is too late
            List<Runnable> telling = left.stream().map(each -> each.telling(error.code())).toList();
            report(error.code(), all, responsePrototype);
            later(
                    () -> {
                        telling.forEach(Runnable::run);
                        left.forEach(ForeignTry::cancel);
                    });
        }
    }

    private void finish(Optional<ForeignTry> which, int code, String text, RpcError ofOthers) {
        List<ForeignTry> left = end(which);
        if (left != null) {
            left.forEach(each -> each.tell(ofOthers.code()));
            report(code, text, responsePrototype);
            left.forEach(ForeignTry::cancel);
        }
    }

    /** {@return the other tries that are still under way; null if the call was over before} */
    private List<ForeignTry> end(Optional<ForeignTry> which) {
        lock.lock();
        try {
            which.ifPresent(underWay::remove);
            if (isOver) {
                return null;
            }
            isOver = true;
            planned.forEach(task -> task.cancel(false));
            return List.copyOf(underWay);
        } finally {
            lock.unlock();
        }
    }

    /** Tells the caller, once. */
    private void report(int code, String text, Message result) {
        controller.outcome(code, text);
        controller.latencyNs(System.nanoTime() - startNs);
        controller.retriedCount(CallId.attempt(tried.id()));
        Completion.run(done, result);
    }
}
