// SPDX-License-Identifier: Apache-2.0
package io.verbena.memory;

import io.verbena.verbs.Errno;
import java.util.Locale;

/**
 * The sizes of blocks. All bytes of a block are payload: the pool's own data about a block is kept
 * outside it.
 */
public enum BlockType {
    /** 8 KiB; what {@link IOBuf} is made of unless another type is chosen. */
    DEFAULT(8 << 10),
    /** 64 KiB. */
    LARGE(64 << 10),
    /** 2 MiB. */
    HUGE(2 << 20);

    private final int bytes;

    BlockType(int bytes) {
        this.bytes = bytes;
    }

    /** {@return how many bytes a block of this type has} */
    public int bytes() {
        return bytes;
    }

    /** {@return the name the flag {@code rdma_recv_block_type} uses: default, large or huge} */
    public String flagName() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * {@return the smallest type that holds this many bytes}
     *
     * @param size from 1 to the size of a {@link #HUGE} block
     * @throws BlockPoolException EINVAL if no type does
     */
    public static BlockType forSize(long size) {
        if (size > 0) {
            for (BlockType type : values()) {
                if (size <= type.bytes) {
                    return type;
                }
            }
        }
        throw new BlockPoolException(
                Errno.EINVAL,
                "size: "
                        + size
                        + " (expected: 1.."
                        + HUGE.bytes
                        + "; use several blocks, or an IOBuf, for more)");
    }

    /**
     * {@return the type with this {@link #flagName}}
     *
     * @param name default, large or huge
     * @throws BlockPoolException EINVAL if there is no such type
     */
    public static BlockType named(String name) {
        for (BlockType type : values()) {
            if (type.flagName().equals(name)) {
                return type;
            }
        }
        throw new BlockPoolException(
                Errno.EINVAL, "block type: " + name + " (expected: default, large or huge)");
    }
}
