// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/**
 * A mapped segment of a peer. If it is <em>pinned</em>, because it holds bells or rings, its file
 * stays open, so that one can see whether the peer has cut it off. The path would not do: a peer
 * may remove its files at any time.
 *
 * @param memory all of the segment
 * @param arena closing it unmaps
 * @param file the open file if it is pinned, else null
 */
record PeerSegment(MemorySegment memory, Arena arena, FileChannel file) implements AutoCloseable {
    /** Maps a file. */
    static PeerSegment map(Path path, boolean isPinned) throws IOException {
        Arena arena = Arena.ofShared();
        FileChannel file = null;
        boolean done = false;
        try {
            file = SharedMemory.open(path);
            MemorySegment memory = SharedMemory.map(file, path, arena);
            done = true;
            return new PeerSegment(memory, arena, isPinned ? file : null);
        } finally {
            if (file != null && !(done && isPinned)) {
                file.close();
            }
            if (!done) {
                arena.close();
            }
        }
    }

    boolean isPinned() {
        return file != null;
    }

    /** {@return the same mapping, pinned} */
    PeerSegment pinned(Path path) throws IOException {
        return isPinned() ? this : new PeerSegment(memory, arena, SharedMemory.open(path));
    }

    /** {@return whether the peer has cut off what we have mapped; false unless it is pinned} */
    boolean isCut() {
        try {
            return file != null && file.size() < memory.byteSize();
        } catch (IOException e) {
            // closed meanwhile: nobody uses it any more
            return false;
        }
    }

    /** Unmaps it; accesses that are under way fail cleanly. */
    @Override
    public void close() {
        try {
            if (file != null) {
                file.close();
            }
        } catch (IOException e) {
            System.getLogger(PeerSegment.class.getName())
                    .log(System.Logger.Level.DEBUG, "a segment could not be closed", e);
        } finally {
            arena.close();
        }
    }
}
