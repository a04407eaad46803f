// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.spi;

import com.google.protobuf.Message;
import java.io.IOException;

/**
 * An encoding of messages in {@code baidu_std}, other than protobuf's own. Found by {@code
 * ServiceLoader}; any thread may call any method.
 */
public interface MessageFormat {
    /** {@return brpc's number of the encoding, 1 to 3} */
    int contentType();

    /**
     * {@return a message as bytes}
     *
     * @param message the message
     * @throws IOException if it cannot be encoded
     */
    byte[] write(Message message) throws IOException;

    /**
     * {@return the message that bytes stand for}
     *
     * @param bytes the bytes
     * @param prototype an instance of the message's class
     * @throws IOException if they are not such a message
     */
    Message read(byte[] bytes, Message prototype) throws IOException;
}
