// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

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
     * Appends the decompressed bytes. For protocols other than {@code baidu_std}.
     *
     * @param source the compressed bytes; they stay in the buffer
     * @param limit the maximum number of decompressed bytes
     * @param target receives the decompressed bytes
     * @throws IOException if the bytes are not compressed this way, or exceed the limit
     */
    public void decompress(IOBuf source, long limit, IOBuf target) throws IOException {
        Compression.decompress(code, source, limit, target);
    }
}
