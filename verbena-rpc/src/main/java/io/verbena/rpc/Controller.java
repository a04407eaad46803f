// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.RpcCallback;
import com.google.protobuf.RpcController;
import io.verbena.memory.BlockPool;
import io.verbena.memory.IOBuf;
import io.verbena.transport.Connection;
import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * One call, beside its request and response: settings before, attachments, and how it went; brpc's
 * {@code Controller}.
 *
 * <p>Ownership: a client makes one with {@link Channel#controller}, and closes it, or resets it for
 * the next call, which gives back the memory of its attachments. That of a server is made and
 * closed by the server, when the call is answered.
 *
 * <p>Threads: one at a time; only {@link #startCancel} is for any thread. During a call it belongs
 * to the channel.
 */
public class Controller implements RpcController, AutoCloseable {
    static final int UNSET = Integer.MIN_VALUE;
    private static final InetSocketAddress NOWHERE = new InetSocketAddress(0);

    private final BlockPool pool;
    private IOBuf requestAttachment;
    private IOBuf responseAttachment;
    private String errorText = "";

    /** What carries the call; null while that is not known. */
    private Connection connection;

    private ControllerExtras extras = ControllerExtras.NONE;
    private long logId;
    private long latencyNs;
    private int errorCode;
    private int timeoutMs = UNSET;
    private int maxRetry = UNSET;
    private int backupRequestMs = UNSET;
    private int retriedCount;
    private CompressType requestCompressType = CompressType.NONE;
    private CompressType responseCompressType = CompressType.NONE;
    private boolean hasRequestChecksum;
    private boolean hasResponseChecksum;
    private boolean hasBackupRequest;

    Controller(BlockPool pool) {
        this.pool = pool;
    }

    BlockPool pool() {
        return pool;
    }

    /** Makes it as new, for the next call. */
    @Override
    public void reset() {
        close();
        errorText = "";
        errorCode = 0;
        connection = null;
        extras = ControllerExtras.NONE;
        logId = 0;
        latencyNs = 0;
        timeoutMs = UNSET;
        maxRetry = UNSET;
        backupRequestMs = UNSET;
        retriedCount = 0;
        requestCompressType = CompressType.NONE;
        responseCompressType = CompressType.NONE;
        hasRequestChecksum = false;
        hasResponseChecksum = false;
        hasBackupRequest = false;
    }

    /** Gives back the memory of the attachments. */
    @Override
    public void close() {
        if (requestAttachment != null) {
            requestAttachment.clear();
        }
        if (responseAttachment != null) {
            responseAttachment.clear();
        }
    }

    /** {@return whether the call failed} */
    @Override
    public boolean failed() {
        return errorCode != 0;
    }

    /** {@return what went wrong, with brpc's prefixes; empty if nothing did} */
    @Override
    public String errorText() {
        return errorText;
    }

    /** {@return the number of what went wrong, mostly one of {@link RpcError}; 0 if nothing did} */
    public int errorCode() {
        return errorCode;
    }

    /**
     * Makes the call fail with EINTERNAL. For services.
     *
     * @param reason what the client is told
     */
    @Override
    public void setFailed(String reason) {
        setFailed(RpcError.EINTERNAL.code(), reason);
    }

    /**
     * Makes the call fail. For services.
     *
     * @param code any number but 0
     * @param reason what the client is told
     */
    public void setFailed(int code, String reason) {
        if (code == 0) {
            throw new IllegalArgumentException("code: 0 (expected: the number of an error)");
        }
        // brpc's clients take -1 for "no number"
        errorCode = code == -1 ? RpcError.EINTERNAL.code() : code;
        errorText = Objects.requireNonNull(reason, "reason");
    }

    /** Gives the call up: it ends with ECANCELED, unless it has ended already. Any thread. */
    @Override
    public void startCancel() {}

    /** {@return on a server, whether nobody waits for the answer any more} */
    @Override
    public boolean isCanceled() {
        return false;
    }

    /**
     * Asks to be told, once, when nobody waits for the answer any more, or when the call is over.
     * For services.
     *
     * @param callback called with the controller
     */
    @Override
    public void notifyOnCancel(RpcCallback<Object> callback) {
        throw new IllegalStateException(
                "notifyOnCancel: a client's controller (expected: a server's)");
    }

    /** {@return bytes that travel beside the request, uncompressed and without a copy} */
    public IOBuf requestAttachment() {
        if (requestAttachment == null) {
            requestAttachment = pool.buffer();
        }
        return requestAttachment;
    }

    /** {@return bytes that travel beside the response, uncompressed and without a copy} */
    public IOBuf responseAttachment() {
        if (responseAttachment == null) {
            responseAttachment = pool.buffer();
        }
        return responseAttachment;
    }

    /** {@return whether there is a request attachment; asking makes none} */
    public boolean hasRequestAttachment() {
        return requestAttachment != null && !requestAttachment.isEmpty();
    }

    /** {@return whether there is a response attachment; asking makes none} */
    public boolean hasResponseAttachment() {
        return responseAttachment != null && !responseAttachment.isEmpty();
    }

    /** {@return the time limit of the call over all tries, or that of its channel} */
    int timeoutMs(int otherwise) {
        return timeoutMs == UNSET ? otherwise : timeoutMs;
    }

    /**
     * Sets the time limit of the call over all its tries.
     *
     * @param value milliseconds; -1 is none
     */
    public void setTimeoutMs(int value) {
        timeoutMs = value;
    }

    /** {@return the time the client leaves this server; -1 if it does not say} On servers. */
    public int timeoutMs() {
        return timeoutMs == UNSET ? -1 : timeoutMs;
    }

    int maxRetry(int otherwise) {
        return maxRetry == UNSET ? otherwise : maxRetry;
    }

    /**
     * Sets how often the call is tried again.
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
     * Sets when a second request is sent if there is no answer.
     *
     * @param value milliseconds; -1 is never
     */
    public void setBackupRequestMs(int value) {
        backupRequestMs = value;
    }

    /** {@return a number that appears in the logs of both sides} */
    public long logId() {
        return logId;
    }

    /**
     * Sets a number that appears in the logs of both sides.
     *
     * @param value any but 0, which is none
     */
    public void setLogId(long value) {
        logId = value;
    }

    /** {@return a text that appears in the logs of both sides} */
    public String requestId() {
        return extras.requestId();
    }

    /**
     * Sets a text that appears in the logs of both sides.
     *
     * @param value any; empty is none
     */
    public void setRequestId(String value) {
        changeableExtras().requestId(value);
    }

    /** {@return names and values that travel with the request; to be changed by the client} */
    public Map<String, String> requestUserFields() {
        return changeableExtras().requestUserFields();
    }

    /** {@return names and values that travel with the response; to be changed by the service} */
    public Map<String, String> responseUserFields() {
        return changeableExtras().responseUserFields();
    }

    boolean hasExtras() {
        return extras != ControllerExtras.NONE;
    }

    private ControllerExtras changeableExtras() {
        if (extras == ControllerExtras.NONE) {
            extras = new ControllerExtras(new LinkedHashMap<>(), new LinkedHashMap<>());
        }
        return extras;
    }

    /** {@return how the request is compressed} */
    public CompressType requestCompressType() {
        return requestCompressType;
    }

    /**
     * Sets how the request is compressed.
     *
     * @param value which way
     */
    public void setRequestCompressType(CompressType value) {
        requestCompressType = Objects.requireNonNull(value, "value");
    }

    /** {@return how the response is compressed} */
    public CompressType responseCompressType() {
        return responseCompressType;
    }

    /**
     * Sets how the response is compressed. For services.
     *
     * @param value which way
     */
    public void setResponseCompressType(CompressType value) {
        responseCompressType = Objects.requireNonNull(value, "value");
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

    /** {@return whether the response carries a CRC-32C} */
    public boolean hasResponseChecksum() {
        return hasResponseChecksum;
    }

    /**
     * Sets whether the response carries a CRC-32C. For services.
     *
     * @param value whether
     */
    public void setResponseChecksum(boolean value) {
        hasResponseChecksum = value;
    }

    /** {@return the peer} */
    public InetSocketAddress remoteSide() {
        return connection == null ? NOWHERE : connection.remoteAddress();
    }

    /** {@return this end of the connection} */
    public InetSocketAddress localSide() {
        return connection == null ? NOWHERE : connection.localAddress();
    }

    /**
     * {@return whether the call came and went over RDMA; false over TCP, also if that was fallen
     * back to, and on a client before there is an answer}
     */
    public boolean isRdma() {
        return connection != null && connection.isRdma();
    }

    /** Sets what carries the call. */
    void connection(Connection value) {
        connection = value;
    }

    /** {@return how long the call took, 0 before its end} */
    public long latencyUs() {
        return latencyNs / 1000;
    }

    void latencyNs(long value) {
        latencyNs = value;
    }

    /** {@return how often the call was tried again} */
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

    /** Sets how the call ended, as it is. */
    void outcome(int code, String text) {
        errorCode = code;
        errorText = text;
    }
}
