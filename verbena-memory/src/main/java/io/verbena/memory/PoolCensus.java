// SPDX-License-Identifier: Apache-2.0
package io.verbena.memory;

import java.util.ArrayList;
import java.util.List;

/** Counts what a pool holds. */
final class PoolCensus {
    private final List<BlockStore> stores;
    private final List<Region> regions;
    private final List<BlockPoolStatistics.Bucket> buckets = new ArrayList<>();
    private final List<BlockPoolStatistics.Type> types = new ArrayList<>();

    PoolCensus(List<BlockStore> stores, List<Region> regions) {
        this.stores = stores;
        this.regions = regions;
    }

    BlockPoolStatistics take(int userRegistrations, long lostBuffers) {
        for (BlockStore store : stores) {
            count(store);
        }
        return new BlockPoolStatistics(
                types,
                regions.stream().map(PoolCensus::count).toList(),
                buckets,
                userRegistrations,
                lostBuffers);
    }

    private void count(BlockStore store) {
        int cached = store.cached();
        int total = 0;
        int free = 0;
        BlockPoolStatistics.Bucket last = null;
        for (int i = 0; i <= store.buckets(); i++) {
            last = count(store, i);
            buckets.add(last);
            total += last.total();
            free += last.free();
        }
        types.add(
                new BlockPoolStatistics.Type(
                        store.type(),
                        total,
                        total - free - cached,
                        cached,
                        last.total(),
                        last.total() - last.free(),
                        store.exhaustions()));
    }

    private static BlockPoolStatistics.Bucket count(BlockStore store, int number) {
        int[] totalAndFree = new int[2];
        store.bucket(number)
                .inspect(
                        part -> {
                            totalAndFree[0] += part.count();
                            totalAndFree[1] += part.available();
                        });
        return new BlockPoolStatistics.Bucket(
                store.type(), number, number == store.buckets(), totalAndFree[0], totalAndFree[1]);
    }

    private static BlockPoolStatistics.Region count(Region region) {
        int total = 0;
        int used = 0;
        for (Part part : region.parts()) {
            part.bucket().lock().lock();
            try {
                total += part.count();
                used += part.used();
            } finally {
                part.bucket().lock().unlock();
            }
        }
        return new BlockPoolStatistics.Region(
                region.number(),
                region.type(),
                region.bytes(),
                region.lkey(),
                total,
                used,
                region.isUserSupplied());
    }
}
