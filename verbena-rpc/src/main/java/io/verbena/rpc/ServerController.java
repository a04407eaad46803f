// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.memory.BlockPool;
import java.util.Objects;

/**
 * The controller of a call that a service of this process runs: what the client sent, and how the
 * answer is sent. An {@link Interceptor} gets it; services and other interceptors get it as {@link
 * Call}.
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

    /**
     * Makes the call fail with EINTERNAL.
     *
     * @param reason the error text that the client gets
     */
    public void setFailed(String reason) {
        setFailed(RpcError.EINTERNAL.code(), reason);
    }

    /**
     * Makes the call fail.
     *
     * @param code any number except 0
     * @param reason the error text that the client gets
     */
    public void setFailed(int code, String reason) {
        if (code == 0) {
            throw new IllegalArgumentException("code: 0 (expected: an error code)");
        }
        // brpc's clients read -1 as "no code"
        outcome(
                code == -1 ? RpcError.EINTERNAL.code() : code,
                Objects.requireNonNull(reason, "reason"));
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
}
