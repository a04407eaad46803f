// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.spi;

import io.verbena.memory.IOBuf;
import java.util.Map;

/**
 * A call on the server, as its protocol sees it: before the call what the client sent beside the
 * request, afterwards how it went. Belongs to one thread at a time, as the server hands it on.
 */
public interface ServerCall {
    /**
     * Sets a number that appears in the logs of both sides.
     *
     * @param value any but 0, which is none
     */
    void setLogId(long value);

    /**
     * Sets a text that appears in the logs of both sides.
     *
     * @param value any; empty is none
     */
    void setRequestId(String value);

    /**
     * Sets how long the client waits.
     *
     * @param value milliseconds; -1 if it does not say
     */
    void setTimeoutMs(int value);

    /** {@return names and values that came with the request; to be filled by the protocol} */
    Map<String, String> requestUserFields();

    /** {@return bytes that came beside the request; to be filled by the protocol} */
    IOBuf requestAttachment();

    /** {@return whether the call failed} */
    boolean failed();

    /** {@return brpc's number of what went wrong, 0 if nothing did} */
    int errorCode();

    /** {@return what went wrong; empty if nothing did} */
    String errorText();

    /** {@return names and values that travel with the response} */
    Map<String, String> responseUserFields();

    /** {@return bytes that travel beside the response} */
    IOBuf responseAttachment();
}
