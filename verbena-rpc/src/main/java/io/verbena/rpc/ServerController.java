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
public abstract sealed class ServerController extends Controller implements Call
        permits IncomingCall {
    private static final int NOT_SAID = -1;

    private int timeoutMs = NOT_SAID;
    private CompressType requestCompressType = CompressType.NONE;
    private CompressType responseCompressType = CompressType.NONE;
    private ContentType requestContentType = ContentType.PROTOBUF;
    private ContentType responseContentType = ContentType.PROTOBUF;
    private boolean hasRequestChecksum;
    private boolean hasResponseChecksum;

    ServerController(BlockPool pool) {
        super(pool);
    }

    @Override
    public int timeoutMs() {
        return timeoutMs;
    }

    void timeoutMs(int value) {
        timeoutMs = value;
    }

    @Override
    public CompressType requestCompressType() {
        return requestCompressType;
    }

    @Override
    public boolean hasRequestChecksum() {
        return hasRequestChecksum;
    }

    @Override
    public ContentType requestContentType() {
        return requestContentType;
    }

    /** The response is encoded in the same way, unless the service wants another. */
    void received(CompressType compression, boolean hasChecksum, ContentType encoding) {
        requestCompressType = compression;
        hasRequestChecksum = hasChecksum;
        requestContentType = encoding;
        responseContentType = encoding;
    }

    ContentType responseContentType() {
        return responseContentType;
    }

    @Override
    public void setResponseContentType(ContentType value) {
        responseContentType = Objects.requireNonNull(value, "value");
    }

    /** {@return how the response is compressed} */
    public CompressType responseCompressType() {
        return responseCompressType;
    }

    @Override
    public void setResponseCompressType(CompressType value) {
        responseCompressType = Objects.requireNonNull(value, "value");
    }

    /** {@return whether the response carries a CRC-32C} */
    public boolean hasResponseChecksum() {
        return hasResponseChecksum;
    }

    @Override
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
