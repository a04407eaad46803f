// SPDX-License-Identifier: Apache-2.0
package io.verbena.memory;

import java.util.List;

/**
 * What a pool holds, at one moment; brpc's {@code DumpMemoryPoolInfo}. Numbers of different buckets
 * are not taken at the same instant.
 *
 * @param types one per type, in the order of {@link BlockType}
 * @param regions one per region, in order of creation
 * @param buckets one per bucket and type; the last of a type is its reserve
 * @param userRegistrations how many {@link UserMemory} are registered
 * @param lostBuffers how many {@link IOBuf} were garbage-collected while they held references
 */
public record BlockPoolStatistics(
        List<Type> types,
        List<Region> regions,
        List<Bucket> buckets,
        int userRegistrations,
        long lostBuffers) {
    /**
     * The blocks of one type.
     *
     * @param type which
     * @param total how many there are
     * @param used how many are in use
     * @param cached how many are in the caches near the threads
     * @param reserveTotal how many of the total only receives may take
     * @param reserveUsed how many of those are in use
     * @param exhaustions how often an allocation found none
     */
    public record Type(
            BlockType type,
            int total,
            int used,
            int cached,
            int reserveTotal,
            int reserveUsed,
            long exhaustions) {
        /** {@return how many are in the free lists of the buckets, including the reserve} */
        public int free() {
            return total - used - cached;
        }
    }

    /**
     * One region.
     *
     * @param number which, counted from 0 over the life of the pool
     * @param type the type of its blocks
     * @param bytes its size
     * @param lkey its local key, or {@link BlockPool#NOT_REGISTERED}
     * @param total how many blocks it has
     * @param used how many of them are not in a bucket: in use, or in a cache
     * @param userSupplied whether it came from {@link BlockPool#addRegion}
     */
    public record Region(
            int number,
            BlockType type,
            long bytes,
            long lkey,
            int total,
            int used,
            boolean userSupplied) {}

    /**
     * One free list.
     *
     * @param type the type of its blocks
     * @param number which, from 0
     * @param reserve whether only receives may take from it
     * @param total how many blocks belong to it
     * @param free how many of them it holds now
     */
    public record Bucket(BlockType type, int number, boolean reserve, int total, int free) {}

    /** Copies the lists, so that nobody can change them. */
    public BlockPoolStatistics {
        types = List.copyOf(types);
        regions = List.copyOf(regions);
        buckets = List.copyOf(buckets);
    }

    /**
     * {@return the numbers of one type}
     *
     * @param type which
     */
    public Type type(BlockType type) {
        return types.stream().filter(each -> each.type() == type).findFirst().orElseThrow();
    }

    /** {@return how many blocks of all types are in use} */
    public int used() {
        return types.stream().mapToInt(Type::used).sum();
    }

    /** {@return a page of text, one line per type, region and bucket} */
    public String describe() {
        StringBuilder text = new StringBuilder();
        types.forEach(type -> text.append(type).append('\n'));
        regions.forEach(region -> text.append(region).append('\n'));
        buckets.forEach(bucket -> text.append(bucket).append('\n'));
        return text.append("userRegistrations=")
                .append(userRegistrations)
                .append(" lostBuffers=")
                .append(lostBuffers)
                .append('\n')
                .toString();
    }
}
