// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.wire;

import io.verbena.memory.IOBuf;
import java.io.IOException;
import java.util.zip.CRC32C;

/**
 * The checksum of a frame: CRC-32C, masked so that a checksum over data with embedded checksums
 * causes no trouble.
 */
public final class Checksum {
    /** No checksum. */
    public static final int NONE = 0;

    /** The number of CRC-32C in a meta. */
    public static final int CRC32C = 1;

    private static final int MASK_ROTATION = 15;
    private static final int MASK_DELTA = 0xa282ead8;

    private Checksum() {}

    /**
     * {@return the masked checksum of a payload and, optionally, the attachment after it}
     *
     * @param payload as sent, that is, compressed
     * @param attachment the attachment; empty if it is not covered
     */
    public static int of(IOBuf payload, IOBuf attachment) {
        CRC32C sum = new CRC32C();
        update(sum, payload);
        update(sum, attachment);
        return mask((int) sum.getValue());
    }

    /**
     * Compares a checksum with what arrived.
     *
     * @param meta the meta of the frame
     * @param payload as it arrived
     * @param attachment the attachment; empty if it is not covered
     * @throws IOException if they differ, or the kind of checksum is unknown
     */
    public static void verify(RpcMeta meta, IOBuf payload, IOBuf attachment) throws IOException {
        if (meta.checksumType() == NONE) {
            return;
        }
        if (meta.checksumType() != CRC32C) {
            throw new IOException(
                    "checksum_type: " + meta.checksumType() + " (expected: 0 none or 1 crc32c)");
        }
        int actual = of(payload, attachment);
        // a value of the wrong length never matches, whatever its bytes are
        if (meta.checksumValue().toInt(~actual) != actual) {
            throw new IOException("checksum: does not match the bytes");
        }
    }

    private static void update(CRC32C sum, IOBuf bytes) {
        for (int i = 0; i < bytes.pieces(); i++) {
            sum.update(bytes.piece(i).asByteBuffer());
        }
    }

    static int mask(int value) {
        return Integer.rotateRight(value, MASK_ROTATION) + MASK_DELTA;
    }
}
