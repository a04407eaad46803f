// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.generic;

import com.google.protobuf.RpcCallback;
import com.google.protobuf.RpcController;
import io.verbena.rpc.ClientCall;
import io.verbena.rpc.RpcError;

/**
 * The controller of a call that a generic stub makes. Settings, attachments and results are in its
 * {@link #call}. Created by {@link GenericChannel#newController}.
 *
 * <p>Ownership: its creator closes it, or resets it for the next call.
 *
 * <p>Threads: one at a time; only {@link #startCancel} may be called by any thread.
 */
public final class GenericClientController implements RpcController, AutoCloseable {
    private final ClientCall call;

    GenericClientController(ClientCall call) {
        this.call = call;
    }

    /** {@return the settings of the call, what goes along with it, and how it went} */
    public ClientCall call() {
        return call;
    }

    @Override
    public boolean failed() {
        return call.failed();
    }

    /** {@return the error code, usually one of {@link RpcError}; 0 if nothing went wrong} */
    public int errorCode() {
        return call.errorCode();
    }

    @Override
    public String errorText() {
        return call.errorText();
    }

    @Override
    public void startCancel() {
        call.startCancel();
    }

    /** {@return whether the call ended because it was canceled} */
    @Override
    public boolean isCanceled() {
        return call.errorCode() == RpcError.ECANCELED.code();
    }

    @Override
    public void reset() {
        call.reset();
    }

    /** Releases the memory of the attachments. */
    @Override
    public void close() {
        call.close();
    }

    /**
     * Only for servers.
     *
     * @throws IllegalStateException always
     */
    @Override
    public void setFailed(String reason) {
        throw serversOnly("setFailed");
    }

    /**
     * Only for servers.
     *
     * @throws IllegalStateException always
     */
    @Override
    public void notifyOnCancel(RpcCallback<Object> callback) {
        throw serversOnly("notifyOnCancel");
    }

    private static IllegalStateException serversOnly(String method) {
        return new IllegalStateException(method + ": a client's controller (expected: a server's)");
    }
}
