// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.Descriptors.MethodDescriptor;
import io.verbena.memory.IOBuf;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Optional;

/**
 * A call that a service of this process runs: everything about it except request and response.
 *
 * <p>Ownership: the server creates it, and releases its attachments when the call is answered.
 *
 * <p>Threads: one at a time. {@link #isCanceled}, {@link #remainingMs} and the names may be asked
 * by any thread.
 *
 * <p>Programs may implement it to test their services.
 */
public interface Call {
    /**
     * {@return the call that the current thread runs} Present in services that run on a thread of
     * their own, for calls whose client says how long it waits: calls that such a service makes end
     * no later than its own.
     */
    static Optional<Call> current() {
        return CurrentCall.get();
    }

    /** {@return the full name of the service} */
    String serviceName();

    /** {@return the name of the method, without the service} */
    String methodName();

    /** {@return the descriptor of the method, with the options of the {@code .proto}} */
    MethodDescriptor descriptor();

    /** {@return the client's address} */
    InetSocketAddress remoteSide();

    /** {@return this side's address} */
    InetSocketAddress localSide();

    /**
     * {@return who the client is, as the server's authenticator says, or else the client's TLS
     * certificate; empty if neither does}
     */
    String identity();

    /** {@return whether the call came over RDMA} */
    boolean isRdma();

    /** {@return how long the client waited for this server at first; -1 if it does not say} */
    int timeoutMs();

    /**
     * {@return how long the client still waits} 0 or less if it has given up; {@link
     * Long#MAX_VALUE} if it does not say how long it waits.
     */
    long remainingMs();

    /** {@return how long ago the request arrived} */
    long elapsedNs();

    /** {@return a number that appears in the logs of both sides; 0 means none} */
    long logId();

    /** {@return a text that appears in the logs of both sides; empty means none} */
    String requestId();

    /** {@return names and values that came with the request} */
    Map<String, String> requestUserFields();

    /** {@return names and values sent with the response; the service may change them} */
    Map<String, String> responseUserFields();

    /** {@return whether there is a request attachment} */
    boolean hasRequestAttachment();

    /** {@return bytes that came along with the request} */
    IOBuf requestAttachment();

    /** {@return bytes sent along with the response, uncompressed and without a copy} */
    IOBuf responseAttachment();

    /** {@return how the request was compressed} */
    CompressType requestCompressType();

    /** {@return whether the request carried a CRC-32C} */
    boolean hasRequestChecksum();

    /** {@return how the request's message was encoded} */
    ContentType requestContentType();

    /**
     * Sets how the response is compressed.
     *
     * @param value the compression type
     */
    void setResponseCompressType(CompressType value);

    /**
     * Sets whether the response carries a CRC-32C.
     *
     * @param value whether
     */
    void setResponseChecksum(boolean value);

    /**
     * Sets how the response's message is encoded; without this, as the request's.
     *
     * @param value the encoding
     */
    void setResponseContentType(ContentType value);

    /** {@return whether the client no longer waits for the answer: its connection has ended} */
    boolean isCanceled();

    /**
     * Registers what to do, once, when the client no longer waits or the call is over.
     *
     * @param action runs on a virtual thread
     */
    void onCancel(Runnable action);

    /**
     * {@return the next stream of bytes that the client offers, accepted} Call it before the method
     * returns; the stream lives on afterwards. What is written before the response leaves after it.
     *
     * @param options the settings of this side
     * @throws IllegalStateException if the client offers no further stream
     */
    default ByteStream acceptStream(ByteStreamOptions options) {
        throw new IllegalStateException("streams: none offered (expected: one)");
    }

    /** {@return how many streams the client offers that were not accepted so far} */
    default int offeredStreams() {
        return 0;
    }

    /** {@return whether the call failed; for interceptors, at its end} */
    boolean failed();

    /** {@return the error code, usually one of {@link RpcError}; 0 if nothing went wrong} */
    int errorCode();

    /** {@return what went wrong; empty if nothing did} */
    String errorText();
}
