// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.handshake;

import io.verbena.transport.TransportError;
import io.verbena.transport.TransportException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;

/**
 * Collects a hello from however many reads it comes in. Takes no byte beyond the hello, and holds
 * no more memory than the length in it allows.
 */
final class HelloReader {
    private final HelloVersion version;
    private byte[] bytes;
    private int size;

    /**
     * Creates a reader of one hello.
     *
     * @param version which, by its magic; V2 also reads V1
     */
    HelloReader(HelloVersion version) {
        this.version = version;
        this.bytes = new byte[HelloV2.LENGTH];
    }

    /**
     * Takes bytes.
     *
     * @param in what has arrived; the first bytes of the first call are the magic
     * @return the hello, once it is complete
     * @throws TransportException with EPROTO if it can never become a hello
     */
    Optional<ReceivedHello> read(ByteBuffer in) {
        int needed = needed();
        while (size < needed) {
            int count = Math.min(needed - size, in.remaining());
            if (count == 0) {
                return Optional.empty();
            }
            bytes = needed > bytes.length ? Arrays.copyOf(bytes, needed) : bytes;
            in.get(bytes, size, count);
            size += count;
            needed = needed();
        }
        return Optional.of(decode());
    }

    private int needed() {
        return version == HelloVersion.V3 ? neededOfV3() : neededOfV2();
    }

    private int neededOfV2() {
        if (size < HelloV2.VERSION_OFFSET) {
            return HelloV2.VERSION_OFFSET;
        }
        int length = unsignedShort(HelloV2.LENGTH_OFFSET);
        if (length == HelloV2.V1_LENGTH) {
            return neededOfV1();
        }
        if (length < HelloV2.LENGTH || length > HelloV2.MAX_LENGTH) {
            throw protocolError(
                    "msg_len: "
                            + length
                            + " (expected: "
                            + HelloV2.LENGTH
                            + ".."
                            + HelloV2.MAX_LENGTH
                            + ")");
        }
        return length;
    }

    private int neededOfV1() {
        if (size < HelloV2.VERSION_OFFSET + Short.BYTES) {
            return HelloV2.VERSION_OFFSET + Short.BYTES;
        }
        int helloVersion = unsignedShort(HelloV2.VERSION_OFFSET);
        if (helloVersion != HelloVersion.V1.number()) {
            throw protocolError(
                    "msg_len: " + HelloV2.V1_LENGTH + " (expected: " + HelloV2.LENGTH + ")");
        }
        return HelloV2.V1_LENGTH;
    }

    private int neededOfV3() {
        if (size < HelloV3.HEADER_LENGTH) {
            return HelloV3.HEADER_LENGTH;
        }
        int length = ByteBuffer.wrap(bytes).getInt(HelloV3.LENGTH_OFFSET);
        if (length < 1 || length > HelloV3.MAX_MESSAGE_LENGTH) {
            throw protocolError(
                    "pb_size: "
                            + Integer.toUnsignedString(length)
                            + " (expected: 1.."
                            + HelloV3.MAX_MESSAGE_LENGTH
                            + ")");
        }
        return HelloV3.HEADER_LENGTH + length;
    }

    private ReceivedHello decode() {
        if (version != HelloVersion.V3) {
            return size == HelloV2.V1_LENGTH
                    ? new ReceivedHello.Refusal(HelloVersion.V1, "hello_ver: 1 (expected: 2 or 3)")
                    : HelloV2.decode(bytes);
        }
        try {
            return HelloV3.decode(Arrays.copyOf(bytes, size));
        } catch (IllegalArgumentException e) {
            throw new TransportException(
                    TransportError.EPROTO, "malformed hello: " + e.getMessage(), e);
        }
    }

    private int unsignedShort(int offset) {
        return Short.toUnsignedInt(ByteBuffer.wrap(bytes).getShort(offset));
    }

    private static TransportException protocolError(String detail) {
        return new TransportException(TransportError.EPROTO, "malformed hello: " + detail);
    }
}
