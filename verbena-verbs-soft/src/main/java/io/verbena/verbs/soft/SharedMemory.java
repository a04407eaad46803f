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
import java.nio.ByteBuffer;
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
 * <p>A page that the file system has no room for shows only as an {@link InternalError} on access.
 * Therefore memory is {@linkplain #reserve reserved} before it is used: by writing zeros, for which
 * Java needs no native call, and which fails cleanly.
 */
final class SharedMemory {
    private static final String VERB = "ibv_reg_mr";
    private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    private static final Set<OpenOption> NEW_FILE = Set.of(CREATE_NEW, READ, WRITE);
    private static final ByteBuffer ZEROS = ByteBuffer.allocateDirect(1 << 18);

    private SharedMemory() {}

    /**
     * A new file of zeros, reserved whole and mapped for reading and writing; nothing is left
     * behind on failure.
     *
     * @param file must not exist; only its owner may open it
     * @param size in bytes
     * @param arena closing it unmaps; the file stays
     * @return all of the file
     * @throws VerbsException if there is no room, or the file cannot be created
     */
    static MemorySegment create(Path file, long size, Arena arena) {
        return create(file, size, size, arena);
    }

    /**
     * A new file of zeros, of which nothing is reserved yet: use no part before {@link #reserve}.
     */
    static MemorySegment createSparse(Path file, long size, Arena arena) {
        return create(file, size, 0, arena);
    }

    private static MemorySegment create(Path file, long size, long reserved, Arena arena) {
        if (size <= 0) {
            throw new IllegalArgumentException("size: " + size + " (expected: > 0)");
        }
        try {
            // first: filling up the file system just to find out would hurt everybody else
            checkSpace(file, reserved);
            try (FileChannel channel = FileChannel.open(file, NEW_FILE, OWNER_ONLY)) {
                return mapNew(channel, file, size, reserved, arena);
            }
        } catch (IOException e) {
            // The file channel reports exhausted address space or mappings as the cause.
            int errno = e.getCause() instanceof OutOfMemoryError ? Errno.ENOMEM : Errno.EIO;
            throw new VerbsException(VERB, errno, "file=" + file + ", length=" + size, e);
        }
    }

    /**
     * Makes sure that a part of a file has pages, and clears it.
     *
     * @throws VerbsException with ENOMEM if there is no room; the part then stays unused
     */
    static void reserve(Path file, long offset, long size) {
        try (FileChannel channel = FileChannel.open(file, WRITE, NOFOLLOW_LINKS)) {
            writeZeros(channel, file, offset, size);
        } catch (IOException e) {
            throw new VerbsException(VERB, Errno.EIO, "file=" + file + ", length=" + size, e);
        }
    }

    private static void writeZeros(FileChannel channel, Path file, long offset, long size) {
        try {
            ByteBuffer zeros = ZEROS.duplicate();
            for (long done = 0; done < size; ) {
                zeros.clear().limit((int) Math.min(ZEROS.capacity(), size - done));
                done += channel.write(zeros, offset + done);
            }
        } catch (IOException e) {
            throw noRoom(file, size, e);
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
        if (Files.getFileStore(file.toAbsolutePath().getParent()).getUsableSpace() < size) {
            throw noRoom(file, size, null);
        }
    }

    /** {@return the failure of a write, which in these folders has only one reason} */
    static VerbsException noRoom(Path file, long size, IOException cause) {
        Path folder = file.toAbsolutePath().getParent();
        String available;
        try {
            available = Files.getFileStore(folder).getUsableSpace() + " bytes";
        } catch (IOException e) {
            available = "unknown";
        }
        return new VerbsException(
                VERB,
                Errno.ENOMEM,
                "needed="
                        + size
                        + " bytes, available="
                        + available
                        + " in "
                        + folder
                        + ": enlarge the shared-memory file system (docker: --shm-size), or name"
                        + " another folder with -D"
                        + SoftDirectory.PROPERTY,
                cause);
    }

    private static MemorySegment mapNew(
            FileChannel channel, Path file, long size, long reserved, Arena arena)
            throws IOException {
        boolean done = false;
        try {
            writeZeros(channel, file, 0, reserved);
            // Mapping beyond the end extends the file with a hole.
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
