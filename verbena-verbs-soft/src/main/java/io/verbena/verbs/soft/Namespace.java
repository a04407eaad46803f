// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;
import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Set;

/**
 * The number that two processes share if, and only if, they see the same folder since the same
 * boot.
 *
 * <p>It is a hash of random bytes kept in the folder and of the kernel's boot id: a copy of the
 * folder on another machine, or the same folder after a restart, gives another number.
 */
final class Namespace {
    /** The file with the random bytes. */
    static final String FILE = "namespace";

    private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");
    private static final int RANDOM_BYTES = 16;

    /**
     * Makes a GID with this prefix look like a local address, and ensures that the number is never
     * zero.
     */
    private static final long TOP_BYTE = 0xfeL << 56;

    private Namespace() {}

    /** {@return the number of a folder, after creating its random bytes if they are absent} */
    static long of(Path folder) throws IOException {
        Path file = folder.resolve(FILE);
        if (Files.notExists(file, NOFOLLOW_LINKS)) {
            create(folder, file);
        }
        MessageDigest digest = sha256();
        digest.update(bootId());
        digest.update(read(file));
        long hash = ByteBuffer.wrap(digest.digest()).getLong();
        return (hash & (-1L >>> Byte.SIZE)) | TOP_BYTE;
    }

    /** Puts a complete file in place, or finds that another process was first. */
    private static void create(Path folder, Path file) throws IOException {
        SecureRandom random = new SecureRandom();
        // Named like a file of an instance, so that the sweep removes it if we die here.
        String name = HexFormat.of().toHexDigits(random.nextLong()) + ".tmp";
        Path draft = folder.resolve(name);
        byte[] bytes = new byte[RANDOM_BYTES];
        random.nextBytes(bytes);
        try (FileChannel channel =
                FileChannel.open(
                        draft,
                        Set.of(CREATE_NEW, WRITE),
                        PosixFilePermissions.asFileAttribute(
                                PosixFilePermissions.fromString("rw-------")))) {
            write(channel, file, bytes);
            // A link, because a move would replace a file that another process put there in the
            // meantime.
            Files.createLink(file, draft);
        } catch (FileAlreadyExistsException e) {
            // The other process's bytes win.
        } finally {
            Files.deleteIfExists(draft);
        }
    }

    private static void write(FileChannel channel, Path file, byte[] bytes) {
        try {
            channel.write(ByteBuffer.wrap(bytes));
        } catch (IOException e) {
            throw SharedMemory.noRoom(file, bytes.length, e);
        }
    }

    private static byte[] read(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, READ, NOFOLLOW_LINKS)) {
            ByteBuffer bytes = ByteBuffer.allocate(RANDOM_BYTES);
            while (bytes.hasRemaining() && channel.read(bytes) >= 0) {
                // Reads on until the buffer is full or the file ends.
            }
            if (bytes.hasRemaining() || channel.size() != RANDOM_BYTES) {
                throw new IOException(
                        file
                                + ": "
                                + channel.size()
                                + " bytes (expected: "
                                + RANDOM_BYTES
                                + "); remove it when no process uses the folder");
            }
            return bytes.array();
        }
    }

    private static byte[] bootId() throws IOException {
        try {
            return Files.readAllBytes(BOOT_ID);
        } catch (NoSuchFileException e) {
            // Not Linux: the random bytes alone must suffice.
            return FILE.getBytes(StandardCharsets.US_ASCII);
        }
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java platform has SHA-256", e);
        }
    }
}
