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
final class ExchangeCall {
    private static final TryFailure CLOSED = TryFailure.of(RpcError.ECLOSE, "the node is closed");

    private final ExchangeCalls channel;
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

    private final List<ExchangeTry> underWay = new ArrayList<>(2);
    private final List<Future<?>> planned = new ArrayList<>(2);
    private int retriesLeft;
    private boolean isOver;

    ExchangeCall(
            ExchangeCalls channel,
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
        try {
            controller.begin(() -> abandon(RpcError.ECANCELED));
            if (timeoutMs >= 0) {
                plan(deadlineNs - startNs, () -> abandon(RpcError.ERPCTIMEDOUT));
            }
            send(true);
            if (backupMs >= 0) {
                plan(TimeUnit.MILLISECONDS.toNanos(backupMs), () -> later(this::sendBackup));
            }
        } catch (Throwable e) {
            giveUp(e);
        }
    }

    /** What comes next cannot be done; a caller who never learns the outcome would be worse. */
    private void giveUp(Throwable fault) {
        TryFailure failure = TryFailure.of(RpcError.EINTERNAL, "the call cannot go on", fault);
        finish(null, failure.code(), failure.text(), RpcError.ECANCELED);
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
        ExchangeTry next = null;
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
                next = new ExchangeTry(this, attempt, target);
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
            failed(null, attempt, failure);
        } else {
            start(next);
        }
    }

    private void start(ExchangeTry next) {
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
     * @param which the try; null if it found no server
     * @param attempt its number
     * @param failure why
     */
    void failed(ExchangeTry which, int attempt, TryFailure failure) {
        RetryVerdict verdict;
        String text;
        lock.lock();
        try {
            if (isOver) {
                return;
            }
            underWay.remove(which);
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
            Faults.warn(ExchangeCall.class, "a retry could not be planned", method.getName(), e);
            verdict = RetryVerdict.NO;
            text = failure.text();
        } finally {
            lock.unlock();
        }
        if (text != null) {
            finish(which, verdict.code(failure.code()), text, RpcError.ECANCELED);
        } else {
            sendAgain(verdict.backoffNs());
        }
    }

    private void sendAgain(long backoffNs) {
        try {
            Runnable step = () -> send(false);
            if (backoffNs > 0) {
                plan(backoffNs, () -> later(step));
            } else {
                later(step);
            }
        } catch (Throwable e) {
            giveUp(e);
        }
    }

    /**
     * Not on this thread, which may be a connection's, nor on the timer's: deadlines must not wait.
     */
    private void later(Runnable step) {
        try {
            channel.later(() -> run(step));
        } catch (RejectedExecutionException e) {
            finish(null, CLOSED.code(), CLOSED.text(), RpcError.ECANCELED);
        } catch (Throwable e) {
            giveUp(e);
        }
    }

    private void run(Runnable step) {
        try {
            step.run();
        } catch (Throwable e) {
            giveUp(e);
        }
    }

    /** A try has brought a response. */
    void succeeded(ExchangeTry which, ClientStream from, Message response) {
        if (!tryEnd(which)) {
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
        tellOthers(RpcError.EBACKUPREQUEST.code());
        if (failure.isNone()) {
            report(0, "", response);
        } else {
            report(failure.code(), failure.text(), responsePrototype);
        }
        cancelOthers();
    }

    /** A try has brought a response that cannot be read. */
    void unreadable(ExchangeTry which, int code, String text) {
        finish(which, code, text, RpcError.EBACKUPREQUEST);
    }

    /** The caller does not wait any longer. The timer, or the thread that cancels. */
    private void abandon(RpcError error) {
        String text = reason(error);
        if (!tryEnd(null)) {
            return;
        }
        // now: an answer that comes before the worker does is too late
        List<Runnable> telling = telling(error.code());
        report(error.code(), text, responsePrototype);
        cancelOthersLater(telling);
    }

    /** Never throws: the caller must learn the outcome. */
    private List<Runnable> telling(int code) {
        try {
            return underWay.stream().map(each -> each.telling(code)).toList();
        } catch (Throwable e) {
            Faults.warn(ExchangeCall.class, "a balancer is not told", method.getName(), e);
            return List.of();
        }
    }

    private void cancelOthersLater(List<Runnable> telling) {
        try {
            later(
                    () -> {
                        telling.forEach(Runnable::run);
                        cancelOthers();
                    });
        } catch (Throwable e) {
            Faults.warn(ExchangeCall.class, "its tries go on", method.getName(), e);
        }
    }

    /** {@return why the caller does not wait any longer} Never throws. */
    private String reason(RpcError error) {
        lock.lock();
        try {
            String why =
                    error == RpcError.ERPCTIMEDOUT
                            ? "reached timeout=" + timeoutMs + "ms"
                            : "canceled by the caller";
            return CallHistory.withHistory(tried, "[E" + error.code() + "]" + why);
        } catch (OutOfMemoryError e) {
            return "the caller does not wait any longer";
        } finally {
            lock.unlock();
        }
    }

    private void finish(ExchangeTry which, int code, String text, RpcError ofOthers) {
        if (tryEnd(which)) {
            tellOthers(ofOthers.code());
            report(code, text, responsePrototype);
            cancelOthers();
        }
    }

    /**
     * {@return whether this ended the call} Then whoever called this must report it; the tries that
     * are still under way do not change any more. Nothing here needs memory: nobody else would
     * report it.
     *
     * @param which the try that ends it; null if none does
     */
    private boolean tryEnd(ExchangeTry which) {
        lock.lock();
        try {
            if (isOver) {
                return false;
            }
            underWay.remove(which);
            isOver = true;
            cancelPlanned();
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Never throws: what is planned finds that the call is over. */
    private void cancelPlanned() {
        try {
            planned.forEach(task -> task.cancel(false));
        } catch (Throwable e) {
            Faults.warn(ExchangeCall.class, "its timers go on", method.getName(), e);
        }
    }

    /** Never throws: the caller must learn the outcome. */
    private void tellOthers(int code) {
        try {
            underWay.forEach(each -> each.tell(code));
        } catch (Throwable e) {
            Faults.warn(ExchangeCall.class, "a balancer is not told", method.getName(), e);
        }
    }

    /** Never throws: a connection may be the thread's. */
    private void cancelOthers() {
        try {
            underWay.forEach(ExchangeTry::cancel);
        } catch (Throwable e) {
            Faults.warn(ExchangeCall.class, "its tries go on", method.getName(), e);
        }
    }

    /** Tells the caller, once. */
    private void report(int code, String text, Message result) {
        controller.outcome(code, text);
        controller.latencyNs(System.nanoTime() - startNs);
        controller.retriedCount(CallId.attempt(tried.id()));
        CallNotifier.run(done, result);
    }
}
