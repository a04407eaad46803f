// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.spi;

import io.verbena.memory.IOBuf;
import java.util.Map;

/**
 * A call on the server, as its protocol sees it: before the call, what the client sent along with
 * the request; afterwards, the outcome. Belongs to one thread at a time, as the server hands it
 * over.
 */
public interface ServerCall {
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
     * Sets how long the client waits.
     *
     * @param value milliseconds; -1 if it does not say
     */
    void setTimeoutMs(int value);

    /**
     * Sets how the request was compressed.
     *
     * @param value brpc's number of the compression; 0 means none
     */
    void setRequestCompressCode(int value);

    /** {@return names and values that came with the request; the protocol fills them in} */
    Map<String, String> requestUserFields();

    /** {@return bytes that came along with the request; the protocol fills them in} */
    IOBuf requestAttachment();

    /** {@return whether the call failed} */
    boolean failed();

    /** {@return brpc's error code; 0 if nothing went wrong} */
    int errorCode();

    /** {@return what went wrong; empty if nothing did} */
    String errorText();

    /** {@return names and values sent with the response} */
    Map<String, String> responseUserFields();

    /**
     * {@return brpc's number of the compression that the service wants for its response; 0 means
     * none}
     */
    int responseCompressCode();

    /** {@return bytes sent along with the response} */
    IOBuf responseAttachment();

    /**
     * The client no longer waits for the answer, although its connection is still there. The
     * service is told; it still answers. Any thread.
     */
    void cancel();
}
