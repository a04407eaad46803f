// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.memory.IOBuf;
import java.net.InetSocketAddress;
import java.util.Map;

/**
 * A call that this process makes: its settings, which override those of its channel, the bytes and
 * fields that go along with the messages, and how it went. A call without special wishes needs
 * none.
 *
 * {@snippet :
 * try (ClientCall call = channel.newCall()) {
 *     call.setTimeoutMs(50);
 *     call.requestAttachment().append(bytes);
 *     Greeting greeting = greetings.greet(name, call);
 * }
 * }
 *
 * <p>Ownership: its creator closes it, or resets it for the next call; either releases the memory
 * of its attachments. During a call it belongs to the channel.
 *
 * <p>Threads: one at a time; only {@link #startCancel} may be called by any thread.
 */
public sealed interface ClientCall extends AutoCloseable permits ClientController {
    /**
     * Sets the time limit of the call over all its tries. A call that a service makes ends no later
     * than the service's own, see {@link Call#remainingMs}.
     *
     * @param value milliseconds; -1 means none
     */
    void setTimeoutMs(int value);

    /**
     * Sets how many times the call is retried.
     *
     * @param value 0 or more
     */
    void setMaxRetry(int value);

    /**
     * Sets after how long without an answer a backup request is sent.
     *
     * @param value milliseconds; -1 means never
     */
    void setBackupRequestMs(int value);

    /**
     * Sets what a balancer that hashes ({@code c_murmurhash}, {@code c_md5}, {@code c_ketama})
     * chooses the server by: calls with the same code go to the same server.
     *
     * @param value brpc uses its lower 32 bits, so a good hash has all it needs there
     */
    void setRequestCode(long value);

    /**
     * Sets a number that appears in the logs of both sides.
     *
     * @param value any number; 0 means none
     */
    void setLogId(long value);

    /**
     * Sets a text that appears in the logs of both sides.
     *
     * @param value any string; empty means none
     */
    void setRequestId(String value);

    /**
     * Sets how the request is compressed.
     *
     * @param value the compression type
     */
    void setRequestCompressType(CompressType value);

    /**
     * Sets whether the request carries a CRC-32C.
     *
     * @param value whether
     */
    void setRequestChecksum(boolean value);

    /**
     * Sets how the messages of the call are encoded.
     *
     * @param value the encoding
     */
    void setContentType(ContentType value);

    /** {@return names and values sent with the request; the caller may change them} */
    Map<String, String> requestUserFields();

    /** {@return names and values that came with the response} */
    Map<String, String> responseUserFields();

    /** {@return bytes sent along with the request, uncompressed and without a copy} */
    IOBuf requestAttachment();

    /** {@return bytes that came along with the response} */
    IOBuf responseAttachment();

    /** {@return whether there is a response attachment} */
    boolean hasResponseAttachment();

    /**
     * {@return a stream of bytes that the next call opens} Several can be created; the server
     * accepts them in order. A call that opens streams uses a connection that is shared, whatever
     * the channel's options say.
     *
     * @param options the settings of this side
     */
    ByteStream createStream(ByteStreamOptions options);

    /** Cancels the call: it ends with ECANCELED, unless it has already ended. Any thread. */
    void startCancel();

    /** {@return whether the call failed} */
    boolean failed();

    /** {@return the error code, usually one of {@link RpcError}; 0 if nothing went wrong} */
    int errorCode();

    /** {@return what went wrong, with brpc's prefixes; empty if nothing did} */
    String errorText();

    /** {@return the address of the server that answered} */
    InetSocketAddress remoteSide();

    /** {@return whether the call went over RDMA; false until there is an answer} */
    boolean isRdma();

    /** {@return how the response was compressed} */
    CompressType responseCompressType();

    /** {@return whether the response carried a CRC-32C} */
    boolean hasResponseChecksum();

    /** {@return how long the call took, 0 before its end} */
    long latencyUs();

    /** {@return how many times the call was retried} */
    int retriedCount();

    /** {@return whether a backup request was sent} */
    boolean hasBackupRequest();

    /** Resets it for the next call. */
    void reset();

    /** Releases the memory of the attachments. */
    @Override
    void close();
}
