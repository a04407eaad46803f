// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft.cm;

import io.verbena.verbs.spi.ConnectionArguments;
import java.util.Arrays;
import java.util.HexFormat;

/** Bytes that one application sends to the other with a message of the connection manager. */
final class PrivateData {
    static final PrivateData NONE = new PrivateData(new byte[0]);

    private final byte[] bytes;

    private PrivateData(byte[] bytes) {
        this.bytes = bytes;
    }

    /** {@return a copy of the bytes; there may be at most {@code max}} */
    static PrivateData of(byte[] bytes, int max) {
        return new PrivateData(ConnectionArguments.privateData(bytes, max).clone());
    }

    int length() {
        return bytes.length;
    }

    byte[] bytes() {
        return bytes.clone();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof PrivateData that && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
        return HexFormat.of().formatHex(bytes);
    }
}
