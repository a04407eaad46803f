// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import io.verbena.verbs.Errno;
import io.verbena.verbs.VerbsException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** The shared-memory segments this device has created, by number. Numbers are never reused. */
final class Segments {
    private record Segment(MemorySegment memory, Arena arena) {}

    private final SoftDirectory directory;
    private final long instance;
    private final Map<Integer, Segment> segments = new ConcurrentHashMap<>();
    private final AtomicInteger next = new AtomicInteger();

    Segments(SoftDirectory directory, long instance) {
        this.directory = directory;
        this.instance = instance;
    }

    /** {@return the number of a new zeroed segment} */
    int create(long bytes) {
        int id = next.getAndIncrement();
        Arena arena = Arena.ofShared();
        try {
            segments.put(
                    id,
                    new Segment(
                            SharedMemory.create(directory.segment(instance, id), bytes, arena),
                            arena));
            return id;
        } catch (RuntimeException e) {
            arena.close();
            throw e;
        }
    }

    /** {@return the memory of a segment, if there is one with that number} */
    Optional<MemorySegment> find(int id) {
        return Optional.ofNullable(segments.get(id)).map(Segment::memory);
    }

    /** {@return the memory of an existing segment} */
    MemorySegment memory(int id) {
        return find(id).orElseThrow(() -> new IllegalArgumentException("segment: " + id));
    }

    /**
     * Unmaps a segment and removes its file; peers that have it mapped keep it until they are
     * notified.
     */
    void free(int id) {
        Segment segment = segments.remove(id);
        if (segment == null) {
            return;
        }
        try {
            Files.deleteIfExists(directory.segment(instance, id));
        } catch (IOException e) {
            throw new VerbsException(
                    "ibv_dereg_mr", Errno.EIO, "segment " + id + " could not be removed", e);
        } finally {
            segment.arena().close();
        }
    }
}
