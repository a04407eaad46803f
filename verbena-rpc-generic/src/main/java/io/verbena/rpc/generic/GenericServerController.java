// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.generic;

import com.google.protobuf.RpcCallback;
import com.google.protobuf.RpcController;
import io.verbena.rpc.Call;
import io.verbena.rpc.RpcError;
import io.verbena.rpc.RpcException;
import java.util.Objects;

/**
 * The controller of a call that a generic service runs. Attachments and everything else are in its
 * {@link #call}. Threads: one at a time.
 */
public final class GenericServerController implements RpcController {
    private final Call call;

    /** What the service said; null if nothing went wrong. */
    private RpcException failure;

    GenericServerController(Call call) {
        this.call = call;
    }

    /** {@return everything about the call except its messages} */
    public Call call() {
        return call;
    }

    void throwIfFailed() {
        if (failure != null) {
            throw failure;
        }
    }

    /**
     * Makes the call fail with EINTERNAL.
     *
     * @param reason the error text that the client gets
     */
    @Override
    public void setFailed(String reason) {
        setFailed(RpcError.EINTERNAL.code(), reason);
    }

    /**
     * Makes the call fail. The service has to call its callback, or return, as well.
     *
     * @param code any number except 0
     * @param reason the error text that the client gets
     */
    public void setFailed(int code, String reason) {
        failure = new RpcException(code, Objects.requireNonNull(reason, "reason"));
    }

    @Override
    public boolean failed() {
        return failure != null;
    }

    @Override
    public String errorText() {
        return failure == null ? "" : failure.text();
    }

    @Override
    public boolean isCanceled() {
        return call.isCanceled();
    }

    /**
     * Registers what to do, once, when the client no longer waits or the call is over.
     *
     * @param callback called with null, on a virtual thread
     */
    @Override
    public void notifyOnCancel(RpcCallback<Object> callback) {
        Objects.requireNonNull(callback, "callback");
        call.onCancel(() -> callback.run(null));
    }

    /**
     * Only for clients.
     *
     * @throws IllegalStateException always
     */
    @Override
    public void startCancel() {
        throw clientsOnly("startCancel");
    }

    /**
     * Only for clients.
     *
     * @throws IllegalStateException always
     */
    @Override
    public void reset() {
        throw clientsOnly("reset");
    }

    private static IllegalStateException clientsOnly(String method) {
        return new IllegalStateException(method + ": a server's controller (expected: a client's)");
    }
}
