// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;
import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import io.verbena.verbs.Errno;
import io.verbena.verbs.VerbsException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * Files mapped into memory and shared by the processes of one user.
 *
 * <p>The pages of a new file are committed when first touched. If the file system fills up later,
 * this therefore shows only as an {@link InternalError} on access; the check at creation makes that
 * rare, but not impossible.
 */
final class SharedMemory {
    private static final String VERB = "ibv_reg_mr";
    private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    private static final Set<OpenOption> NEW_FILE = Set.of(CREATE_NEW, READ, WRITE);

    private SharedMemory() {}

    /**
     * A new file of zeros, mapped for reading and writing; nothing is left behind on failure.
     *
     * @param file must not exist; only its owner may open it
     * @param size in bytes
     * @param arena closing it unmaps; the file stays
     * @return all of the file
     * @throws VerbsException if there is no room, or the file cannot be created
     */
    static MemorySegment create(Path file, long size, Arena arena) {
        if (size <= 0) {
            throw new IllegalArgumentException("size: " + size + " (expected: > 0)");
        }
        try {
            checkSpace(file, size);
            try (FileChannel channel = FileChannel.open(file, NEW_FILE, OWNER_ONLY)) {
                return mapNew(channel, file, size, arena);
            }
        } catch (IOException e) {
            // The file channel reports exhausted address space or mappings as the cause.
            int errno = e.getCause() instanceof OutOfMemoryError ? Errno.ENOMEM : Errno.EIO;
            throw new VerbsException(VERB, errno, "file=" + file + ", length=" + size, e);
        }
    }

    /**
     * Maps an existing file whole, for reading and writing.
     *
     * @param file a file of another process of the same user; a symbolic link is refused
     * @param arena closing it unmaps
     * @return all of the file
     * @throws IOException if it is absent, empty, a link, or not accessible
     */
    static MemorySegment map(Path file, Arena arena) throws IOException {
        try (FileChannel channel = open(file)) {
            return map(channel, file, arena);
        }
    }

    /** Opens an existing file; a symbolic link is refused. */
    static FileChannel open(Path file) throws IOException {
        return FileChannel.open(file, READ, WRITE, NOFOLLOW_LINKS);
    }

    /** Maps an open file whole; the channel may be closed afterwards. */
    static MemorySegment map(FileChannel channel, Path file, Arena arena) throws IOException {
        long size = channel.size();
        if (size == 0) {
            throw new IOException(file + ": 0 bytes (expected: a file with content)");
        }
        return channel.map(MapMode.READ_WRITE, 0, size, arena);
    }

    private static void checkSpace(Path file, long size) throws IOException {
        Path folder = file.toAbsolutePath().getParent();
        long available = Files.getFileStore(folder).getUsableSpace();
        if (available < size) {
            throw new VerbsException(
                    VERB,
                    Errno.ENOMEM,
                    "needed="
                            + size
                            + " bytes, available="
                            + available
                            + " bytes in "
                            + folder
                            + ": enlarge the shared-memory file system");
        }
    }

    private static MemorySegment mapNew(FileChannel channel, Path file, long size, Arena arena)
            throws IOException {
        boolean done = false;
        try {
            // Mapping beyond the end extends the file with a hole: no page is committed yet.
            MemorySegment memory = channel.map(MapMode.READ_WRITE, 0, size, arena);
            done = true;
            return memory;
        } finally {
            if (!done) {
                Files.deleteIfExists(file);
            }
        }
    }
}
