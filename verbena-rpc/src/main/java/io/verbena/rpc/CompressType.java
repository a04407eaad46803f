// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.rpc.wire.Compression;

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
}
