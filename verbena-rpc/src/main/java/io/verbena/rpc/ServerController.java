// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.RpcCallback;
import io.verbena.memory.BlockPool;
import java.util.Objects;

/**
 * The controller of a call that a service of this process runs: what the client sent, and how the
 * answer is sent. A service gets it as the {@code RpcController} of protobuf's generated code:
 *
 * {@snippet :
 * ServerController call = (ServerController) controller;
 * }
 */
public abstract sealed class ServerController extends Controller permits IncomingCall {
    private static final int NOT_SAID = -1;

    private int timeoutMs = NOT_SAID;
    private CompressType responseCompressType = CompressType.NONE;
    private boolean hasResponseChecksum;

    ServerController(BlockPool pool) {
        super(pool);
    }

    /** {@return how long the client waits for this server; -1 if it does not say} */
    public int timeoutMs() {
        return timeoutMs;
    }

    void timeoutMs(int value) {
        timeoutMs = value;
    }

    /** {@return how the response is compressed} */
    public CompressType responseCompressType() {
        return responseCompressType;
    }

    /**
     * Sets how the response is compressed.
     *
     * @param value the compression type
     */
    public void setResponseCompressType(CompressType value) {
        responseCompressType = Objects.requireNonNull(value, "value");
    }

    /** {@return whether the response carries a CRC-32C} */
    public boolean hasResponseChecksum() {
        return hasResponseChecksum;
    }

    /**
     * Sets whether the response carries a CRC-32C.
     *
     * @param value whether
     */
    public void setResponseChecksum(boolean value) {
        hasResponseChecksum = value;
    }

    /** {@return whether the client no longer waits for the answer} */
    @Override
    public abstract boolean isCanceled();

    /**
     * Registers a callback that runs once, when the client no longer waits for the answer or the
     * call is over.
     *
     * @param callback called with the controller
     */
    @Override
    public abstract void notifyOnCancel(RpcCallback<Object> callback);

    /**
     * Only for clients.
     *
     * @throws IllegalStateException always
     */
    @Override
    public void startCancel() {
        throw new IllegalStateException(
                "startCancel: a server's controller (expected: a client's)");
    }
}
