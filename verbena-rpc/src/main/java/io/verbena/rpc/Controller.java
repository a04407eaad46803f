// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.RpcController;
import io.verbena.memory.BlockPool;
import io.verbena.memory.IOBuf;
import io.verbena.transport.Connection;
import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * One call, beside its request and response, as both sides see it: attachments, and how it went;
 * brpc's {@code Controller}. What only one side can set or ask is in {@link ClientController} and
 * {@link ServerController}.
 *
 * <p>Ownership: a client makes one with {@link Channel#controller}, and closes it, or resets it for
 * the next call, which gives back the memory of its attachments. The server makes and closes the
 * one that a service gets; it is closed when the call is answered.
 *
 * <p>Threads: one at a time; only {@link #startCancel} is for any thread. During a call a client's
 * controller belongs to the channel.
 */
public abstract sealed class Controller implements RpcController, AutoCloseable
        permits ClientController, ServerController {
    private static final InetSocketAddress NOWHERE = new InetSocketAddress(0);

    private final BlockPool pool;
    private IOBuf requestAttachment;
    private IOBuf responseAttachment;
    private String errorText = "";

    /** What carries the call; null while that is not known. */
    private Connection connection;

    private ControllerExtras extras = ControllerExtras.NONE;
    private long logId;
    private int errorCode;

    Controller(BlockPool pool) {
        this.pool = pool;
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

    /** Sets how the call ended, as it is. */
    void outcome(int code, String text) {
        errorCode = code;
        errorText = text;
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

    /** {@return a number that appears in the logs of both sides; 0 is none} */
    public long logId() {
        return logId;
    }

    void logId(long value) {
        logId = value;
    }

    /** {@return a text that appears in the logs of both sides; empty is none} */
    public String requestId() {
        return extras.requestId();
    }

    void requestId(String value) {
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

    /** {@return the peer} */
    public InetSocketAddress remoteSide() {
        return connection == null ? NOWHERE : connection.remoteAddress();
    }

    /** {@return this end of the connection} */
    public InetSocketAddress localSide() {
        return connection == null ? NOWHERE : connection.localAddress();
    }

    /**
     * {@return whether the call came and went over RDMA} False if it went over TCP, even as a
     * fallback, and on a client until there is an answer.
     */
    public boolean isRdma() {
        return connection != null && connection.isRdma();
    }

    /** Sets what carries the call. */
    void connection(Connection value) {
        connection = value;
    }
}
