// SPDX-License-Identifier: Apache-2.0
package io.verbena.memory;

/**
 * A block that has not come back to its pool. At the end of a test, a leak.
 *
 * @param type its size
 * @param address where it is
 * @param references how many references are held
 * @param history where it was allocated and used, as far as {@link LeakTracking} has recorded it;
 *     otherwise empty
 */
public record OutstandingBlock(BlockType type, long address, int references, String history) {
    @Override
    public String toString() {
        return type
                + " block at 0x"
                + Long.toHexString(address)
                + ", references: "
                + references
                + (history.isEmpty()
                        ? "; set " + BlockPoolOptions.LEAK_TRACKING + "=PARANOID to see who has it"
                        : "\n" + history);
    }
}
