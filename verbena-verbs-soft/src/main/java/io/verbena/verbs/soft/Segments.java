// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import io.verbena.verbs.Errno;
import io.verbena.verbs.VerbsException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;

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

    /** {@return the number of a new zeroed segment, all of it reserved} */
    int create(long bytes) {
        return create((file, arena) -> SharedMemory.create(file, bytes, arena));
    }

    /** {@return the number of a new zeroed segment: reserve what is used of it} */
    int createSparse(long bytes) {
        return create((file, arena) -> SharedMemory.createSparse(file, bytes, arena));
    }

    /** Makes sure that a part of a segment can be used, and clears it. */
    void reserve(int id, long offset, long bytes) {
        SharedMemory.reserve(directory.segment(instance, id), offset, bytes);
    }

    private int create(BiFunction<Path, Arena, MemorySegment> maker) {
        int id = next.getAndIncrement();
        Arena arena = Arena.ofShared();
        try {
            MemorySegment memory = maker.apply(directory.segment(instance, id), arena);
            segments.put(id, new Segment(memory, arena));
            return id;
        } catch (RuntimeException | Error e) {
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
