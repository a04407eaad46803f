// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.RpcCallback;
import io.verbena.memory.BlockPool;
import java.util.Objects;
import java.util.Optional;

/**
 * The controller of a call that this process makes: settings of the call, which override those of
 * its channel, and statistics about it. Created by {@link Channel#controller}.
 */
public final class ClientController extends Controller {
    private static final int UNSET = Integer.MIN_VALUE;

    private volatile Optional<CallEngine> engine = Optional.empty();
    private volatile long id;
    private long latencyNs;
    private int timeoutMs = UNSET;
    private int maxRetry = UNSET;
    private int backupRequestMs = UNSET;
    private int retriedCount;
    private CompressType requestCompressType = CompressType.NONE;
    private boolean hasRequestChecksum;
    private boolean hasBackupRequest;

    ClientController(BlockPool pool) {
        super(pool);
    }

    /** A call begins. */
    void begin(CallEngine owner, long callId) {
        // the id first: a thread that sees the engine also sees an id, and an old id finds no call
        id = callId;
        if (engine.isEmpty()) {
            engine = Optional.of(owner);
        }
    }

    @Override
    public void reset() {
        super.reset();
        latencyNs = 0;
        timeoutMs = UNSET;
        maxRetry = UNSET;
        backupRequestMs = UNSET;
        retriedCount = 0;
        requestCompressType = CompressType.NONE;
        hasRequestChecksum = false;
        hasBackupRequest = false;
    }

    /** Cancels the call: it ends with ECANCELED, unless it has already ended. Any thread. */
    @Override
    public void startCancel() {
        engine.ifPresent(owner -> owner.cancel(id));
    }

    /** {@return whether the call ended because it was canceled} */
    @Override
    public boolean isCanceled() {
        return errorCode() == RpcError.ECANCELED.code();
    }

    /**
     * Only for servers.
     *
     * @throws IllegalStateException always
     */
    @Override
    public void notifyOnCancel(RpcCallback<Object> callback) {
        throw new IllegalStateException(
                "notifyOnCancel: a client's controller (expected: a server's)");
    }

    /** {@return the time limit of the call over all tries, or that of its channel} */
    int timeoutMs(int otherwise) {
        return timeoutMs == UNSET ? otherwise : timeoutMs;
    }

    /**
     * Sets the time limit of the call over all its tries.
     *
     * @param value milliseconds; -1 means none
     */
    public void setTimeoutMs(int value) {
        timeoutMs = value;
    }

    int maxRetry(int otherwise) {
        return maxRetry == UNSET ? otherwise : maxRetry;
    }

    /**
     * Sets how many times the call is retried.
     *
     * @param value 0 or more
     */
    public void setMaxRetry(int value) {
        maxRetry = value;
    }

    int backupRequestMs(int otherwise) {
        return backupRequestMs == UNSET ? otherwise : backupRequestMs;
    }

    /**
     * Sets after how long without an answer a backup request is sent.
     *
     * @param value milliseconds; -1 means never
     */
    public void setBackupRequestMs(int value) {
        backupRequestMs = value;
    }

    /**
     * Sets a number that appears in the logs of both sides.
     *
     * @param value any number; 0 means none
     */
    public void setLogId(long value) {
        logId(value);
    }

    /**
     * Sets a text that appears in the logs of both sides.
     *
     * @param value any string; empty means none
     */
    public void setRequestId(String value) {
        requestId(value);
    }

    /** {@return how the request is compressed} */
    public CompressType requestCompressType() {
        return requestCompressType;
    }

    /**
     * Sets how the request is compressed.
     *
     * @param value the compression type
     */
    public void setRequestCompressType(CompressType value) {
        requestCompressType = Objects.requireNonNull(value, "value");
    }

    /** {@return whether the request carries a CRC-32C} */
    public boolean hasRequestChecksum() {
        return hasRequestChecksum;
    }

    /**
     * Sets whether the request carries a CRC-32C.
     *
     * @param value whether
     */
    public void setRequestChecksum(boolean value) {
        hasRequestChecksum = value;
    }

    /** {@return how long the call took, 0 before its end} */
    public long latencyUs() {
        return latencyNs / 1000;
    }

    void latencyNs(long value) {
        latencyNs = value;
    }

    /** {@return how many times the call was retried} */
    public int retriedCount() {
        return retriedCount;
    }

    void retriedCount(int value) {
        retriedCount = value;
    }

    /** {@return whether a backup request was sent} */
    public boolean hasBackupRequest() {
        return hasBackupRequest;
    }

    void hasBackupRequest(boolean value) {
        hasBackupRequest = value;
    }
}
