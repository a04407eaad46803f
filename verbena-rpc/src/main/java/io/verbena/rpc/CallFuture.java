// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.Message;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The future of a call. Stages that depend on it are user code, and run where callbacks do. A
 * thread that waits for it is woken directly, as in a blocking call: it must not depend on a free
 * carrier.
 *
 * @param <M> the answer's class
 */
final class CallFuture<M extends Message> extends CompletableFuture<M>
        implements CallNotifier.Waking {
    /** Made in advance, for when there is no memory to describe a failure. */
    @SuppressWarnings("StaticAssignmentOfThrowable") // on purpose, as it says
    private static final RpcException UNDESCRIBED =
            new RpcException(RpcError.EINTERNAL.code(), "out of memory");

    private final ClientController controller;

    /** The outcome is known. Only waiting threads depend on it, so completing it runs no stages. */
    private final CompletableFuture<M> outcome = new CompletableFuture<>();

    CallFuture(ClientController controller) {
        this.controller = controller;
    }

    @Override
    @SuppressWarnings("unchecked") // the answer is of its prototype's class
    public void wake(Message result) {
        if (controller.failed()) {
            outcome.completeExceptionally(failure());
        } else {
            outcome.complete((M) result);
        }
    }

    /** Never throws: whoever waits would never learn that the call is over. */
    private RpcException failure() {
        try {
            return new RpcException(controller.errorCode(), controller.errorText());
        } catch (OutOfMemoryError e) {
            return UNDESCRIBED;
        }
    }

    /** Not through the controller: a thread that was woken may use it for its next call already. */
    @Override
    public void accept(Message result) {
        if (!outcome.isDone()) {
            // there was no memory to wake anybody
            wake(result);
        }
        if (outcome.isCompletedExceptionally()) {
            completeExceptionally(outcome.exceptionNow());
        } else {
            complete(outcome.resultNow());
        }
    }

    /** Waits for the outcome, or until the user has completed the future. */
    private CompletableFuture<Object> settled() {
        return CompletableFuture.anyOf(outcome, this).handle((value, failure) -> value);
    }

    private void take() {
        if (outcome.isDone()) {
            accept(null);
        }
    }

    @Override
    public M get() throws InterruptedException, ExecutionException {
        if (!isDone()) {
            Object _ = settled().get();
            take();
        }
        return super.get();
    }

    @Override
    public M get(long timeout, TimeUnit unit)
            throws InterruptedException, ExecutionException, TimeoutException {
        if (!isDone()) {
            Object _ = settled().get(timeout, unit);
            take();
        }
        return super.get(timeout, unit);
    }

    @Override
    public M join() {
        if (!isDone()) {
            Object _ = settled().join();
            take();
        }
        return super.join();
    }

    /** Its stages are plain ones. */
    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
        return new CompletableFuture<>();
    }
}
