// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.memory.IOBuf;
import io.verbena.rpc.wire.Compression;
import java.io.IOException;

/** How a message is compressed on its way; brpc's {@code CompressType}. */
public enum CompressType {
    /** Not at all. */
    NONE(Compression.NONE),
    /** Snappy, raw block format. */
    SNAPPY(Compression.SNAPPY),
    /** RFC 1952. */
    GZIP(Compression.GZIP),
    /** RFC 1950. */
    ZLIB(Compression.ZLIB);

    private final int code;

    CompressType(int code) {
        this.code = code;
    }

    /** {@return its number on the wire} */
    public int code() {
        return code;
    }

    /**
     * Appends the original of compressed bytes. For protocols that are not {@code baidu_std}.
     *
     * @param source the compressed bytes; stay in the buffer
     * @param limit most bytes the original may have
     * @param target where to
     * @throws IOException if the bytes are not compressed this way, or are too many
     */
    public void decompress(IOBuf source, long limit, IOBuf target) throws IOException {
        Compression.decompress(code, source, limit, target);
    }
}
