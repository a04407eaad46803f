// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.memory.BlockPool;
import io.verbena.memory.IOBuf;
import io.verbena.transport.Connection;
import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Everything about a call except its request and response: attachments, settings and outcome;
 * brpc's {@code Controller}. What applies to one side only is in {@link ClientController} and
 * {@link ServerController}.
 *
 * <p>Ownership: a client creates one with {@link Channel#controller}, and closes it, or resets it
 * for the next call; either releases the memory of its attachments. The server creates the one that
 * a service gets, and closes it when the call is answered.
 *
 * <p>Threads: one at a time; only {@link ClientController#startCancel} may be called by any thread.
 * During a call a client's controller belongs to the channel.
 */
public abstract sealed class Controller implements AutoCloseable
        permits ClientController, ServerController {
    private static final InetSocketAddress NOWHERE = new InetSocketAddress(0);

    private final BlockPool pool;
    private IOBuf requestAttachment;
    private IOBuf responseAttachment;
    private String errorText = "";

    /** The connection that carries the call; null while unknown. */
    private Connection connection;

    private ControllerExtras extras = ControllerExtras.NONE;
    private long logId;
    private int errorCode;

    Controller(BlockPool pool) {
        this.pool = pool;
    }

    BlockPool pool() {
        return pool;
    }

    /** Resets it for the next call. */
    public void reset() {
        close();
        errorText = "";
        errorCode = 0;
        connection = null;
        extras = ControllerExtras.NONE;
        logId = 0;
    }

    /** Releases the memory of the attachments. */
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
    public boolean failed() {
        return errorCode != 0;
    }

    /** {@return what went wrong, with brpc's prefixes; empty if nothing did} */
    public String errorText() {
        return errorText;
    }

    /** {@return the error code, usually one of {@link RpcError}; 0 if nothing went wrong} */
    public int errorCode() {
        return errorCode;
    }

    /** Sets code and text of the outcome, unchanged. */
    void outcome(int code, String text) {
        errorCode = code;
        errorText = text;
    }

    /** {@return bytes sent along with the request, uncompressed and without a copy} */
    public IOBuf requestAttachment() {
        if (requestAttachment == null) {
            requestAttachment = pool.buffer();
        }
        return requestAttachment;
    }

    /** {@return bytes sent along with the response, uncompressed and without a copy} */
    public IOBuf responseAttachment() {
        if (responseAttachment == null) {
            responseAttachment = pool.buffer();
        }
        return responseAttachment;
    }

    /** {@return whether there is a request attachment; does not create one} */
    public boolean hasRequestAttachment() {
        return requestAttachment != null && !requestAttachment.isEmpty();
    }

    /** {@return whether there is a response attachment; does not create one} */
    public boolean hasResponseAttachment() {
        return responseAttachment != null && !responseAttachment.isEmpty();
    }

    /** {@return a number that appears in the logs of both sides; 0 means none} */
    public long logId() {
        return logId;
    }

    void logId(long value) {
        logId = value;
    }

    /** {@return a text that appears in the logs of both sides; empty means none} */
    public String requestId() {
        return extras.requestId();
    }

    void requestId(String value) {
        changeableExtras().requestId(value);
    }

    /** {@return names and values sent with the request; the client may change them} */
    public Map<String, String> requestUserFields() {
        return changeableExtras().requestUserFields();
    }

    /** {@return names and values sent with the response; the service may change them} */
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

    /** {@return the peer's address} */
    public InetSocketAddress remoteSide() {
        return connection == null ? NOWHERE : connection.remoteAddress();
    }

    /** {@return this side's address} */
    public InetSocketAddress localSide() {
        return connection == null ? NOWHERE : connection.localAddress();
    }

    /**
     * {@return whether the call went over RDMA} False if it went over TCP, even as a fallback, and
     * on a client until there is an answer.
     */
    public boolean isRdma() {
        return connection != null && connection.isRdma();
    }

    void copyConnection(Controller other) {
        connection = other.connection;
    }

    /** Sets the connection that carries the call. */
    void connection(Connection value) {
        connection = value;
    }
}
