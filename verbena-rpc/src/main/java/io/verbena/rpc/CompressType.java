// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.MessageLite;
import io.verbena.memory.IOBuf;
import io.verbena.rpc.wire.Compression;
import java.io.IOException;

/** How a message is compressed on the wire; brpc's {@code CompressType}. */
public enum CompressType {
    /** Not at all. */
    NONE(Compression.NONE),
    /** Snappy, raw block format. */
    SNAPPY(Compression.SNAPPY),
    /** RFC 1952. */
    GZIP(Compression.GZIP),
    /** RFC 1950. */
    ZLIB(Compression.ZLIB);

    private static final CompressType[] ALL = values();

    private final int code;

    CompressType(int code) {
        this.code = code;
    }

    /** {@return the type with a number; NONE for an unknown one, which decoding refuses} */
    static CompressType of(int code) {
        return code >= 0 && code < ALL.length ? ALL[code] : NONE;
    }

    /** {@return its number on the wire} */
    public int code() {
        return code;
    }

    /**
     * Appends a message, compressed. For protocols other than {@code baidu_std}.
     *
     * @param message the message
     * @param target receives the compressed bytes
     * @throws IOException if they cannot be written
     */
    public void compress(MessageLite message, IOBuf target) throws IOException {
        Compression.compress(code, message, target);
    }

    /**
     * Appends the decompressed bytes. For protocols other than {@code baidu_std}.
     *
     * @param source the compressed bytes; they stay in the buffer
     * @param limit the maximum number of decompressed bytes
     * @param target receives the decompressed bytes
     * @throws MessageTooLargeException if the bytes exceed the limit
     * @throws IOException if the bytes are not compressed this way
     */
    public void decompress(IOBuf source, long limit, IOBuf target) throws IOException {
        try {
            Compression.decompress(code, source, limit, target);
        } catch (Compression.TooLargeException e) {
            throw new MessageTooLargeException(e.getMessage(), e);
        }
    }
}
