// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import io.verbena.verbs.Errno;
import io.verbena.verbs.VerbsException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HexFormat;
import java.util.Set;

/**
 * The folder where the processes of one user on one host meet; nobody else may look inside.
 *
 * <pre>
 *   namespace              random bytes that name this folder, see {@link Namespace}
 *   &lt;instance&gt;.lock        held by the living process that owns the instance
 *   &lt;instance&gt;.sock        where others reach it
 *   &lt;instance&gt;.&lt;id&gt;.mem    its shared memory
 *   cm-&lt;port&gt;.sock         the listener on a port of the connection manager
 *   cm.lock                held while such a socket is made or removed
 * </pre>
 *
 * <p>An instance is written as 16 hexadecimal digits. Immutable; any thread may use it.
 */
final class SoftDirectory {
    /** The system property that names another folder. */
    static final String PROPERTY = "verbena.soft.directory";

    /**
     * The longest socket path, in bytes: the field of the smallest system (104 bytes) without the
     * two the JDK keeps.
     */
    static final int LONGEST_SOCKET_PATH = 102;

    private static final String VERB = "ibv_open_device";
    private static final Path SHARED_MEMORY = Path.of("/dev/shm");
    private static final int INSTANCE_DIGITS = 16;
    private static final String SOCKET_SUFFIX = ".sock";
    private static final String LOCK_SUFFIX = ".lock";

    private final Path path;
    private final long namespace;

    private SoftDirectory(Path path, long namespace) {
        this.path = path;
        this.namespace = namespace;
    }

    /**
     * Opens the folder that {@value #PROPERTY} names, or the default one.
     *
     * @throws VerbsException as {@link #open(Path)}
     */
    static SoftDirectory open() {
        String named = System.getProperty(PROPERTY, "");
        return open(named.isEmpty() ? usual() : Path.of(named));
    }

    /**
     * Opens a folder, and creates it if it is absent and its parent exists.
     *
     * @throws VerbsException if another user owns it or may look inside, or it cannot be used; the
     *     message says what to do
     */
    static SoftDirectory open(Path folder) {
        Path path = folder.toAbsolutePath();
        checkLength(path);
        try {
            create(path);
            checkOwnerOnly(path);
            return new SoftDirectory(path, Namespace.of(path));
        } catch (UnsupportedOperationException e) {
            throw new VerbsException(
                    VERB,
                    Errno.EOPNOTSUPP,
                    path + ": its file system has no owners, permissions or links" + advice(),
                    e);
        } catch (IOException e) {
            throw new VerbsException(VERB, Errno.EIO, path + ": " + e + advice(), e);
        }
    }

    /** {@return the folder, absolute} */
    Path path() {
        return path;
    }

    /** {@return the same number in all processes that see this folder, and in no others} */
    long namespace() {
        return namespace;
    }

    /** {@return where an instance is reached} */
    Path socket(long instance) {
        return path.resolve(digits(instance) + SOCKET_SUFFIX);
    }

    /** {@return a shared-memory file of an instance} */
    Path segment(long instance, int id) {
        return path.resolve(digits(instance) + "." + Integer.toUnsignedString(id) + ".mem");
    }

    /** {@return the file whose lock shows that an instance is alive} */
    Path lock(long instance) {
        return path.resolve(digits(instance) + LOCK_SUFFIX);
    }

    /** {@return the prefix of the names of all files of an instance} */
    static String prefix(long instance) {
        return digits(instance) + ".";
    }

    /** {@return whether a file belongs to any instance} */
    static boolean belongsToInstance(Path file) {
        String name = file.getFileName().toString();
        return name.length() > INSTANCE_DIGITS
                && name.charAt(INSTANCE_DIGITS) == '.'
                && name.chars().limit(INSTANCE_DIGITS).allMatch(SoftDirectory::isDigit);
    }

    /** {@return whether a file that belongs to an instance is its lock} */
    static boolean isLock(Path file) {
        String name = file.getFileName().toString();
        return name.indexOf(LOCK_SUFFIX) == INSTANCE_DIGITS
                && name.length() == INSTANCE_DIGITS + LOCK_SUFFIX.length();
    }

    /** {@return the instance a file belongs to} */
    static long instanceOf(Path file) {
        String name = file.getFileName().toString();
        return HexFormat.fromHexDigitsToLong(name, 0, INSTANCE_DIGITS);
    }

    private static Path usual() {
        int user = Posix.userId();
        // Processes without native access use another folder: they could not wake the others.
        if (user != Posix.UNKNOWN_USER
                && Files.isDirectory(SHARED_MEMORY)
                && Files.isWritable(SHARED_MEMORY)) {
            return SHARED_MEMORY.resolve("verbena-" + Integer.toUnsignedString(user));
        }
        String name = System.getProperty("user.name");
        return Path.of(System.getProperty("java.io.tmpdir"), "verbena-" + name);
    }

    private static void checkLength(Path path) {
        int length = path.toString().getBytes(StandardCharsets.UTF_8).length;
        int longest = LONGEST_SOCKET_PATH - 1 - INSTANCE_DIGITS - SOCKET_SUFFIX.length();
        if (length > longest) {
            throw new VerbsException(
                    VERB,
                    Errno.EINVAL,
                    path
                            + ": "
                            + length
                            + " bytes (expected: <= "
                            + longest
                            + ", because socket names are short)"
                            + advice());
        }
    }

    private static void create(Path path) throws IOException {
        Set<PosixFilePermission> ownerOnly = PosixFilePermissions.fromString("rwx------");
        try {
            Files.createDirectory(path, PosixFilePermissions.asFileAttribute(ownerOnly));
        } catch (FileAlreadyExistsException e) {
            // The normal case from the second process on: checkOwnerOnly checks what is there.
        }
    }

    private static void checkOwnerOnly(Path path) throws IOException {
        PosixFileAttributes found =
                Files.readAttributes(path, PosixFileAttributes.class, NOFOLLOW_LINKS);
        if (found.isSymbolicLink()) {
            throw refused(path, "a symbolic link (expected: a folder); remove it,");
        }
        if (!found.isDirectory()) {
            throw refused(path, "not a folder; remove it,");
        }
        if (!isOwn(path, found)) {
            throw refused(path, "owned by " + found.owner().getName() + "; have it removed,");
        }
        for (PosixFilePermission permission : found.permissions()) {
            if (!permission.name().startsWith("OWNER_")) {
                String mode = PosixFilePermissions.toString(found.permissions());
                throw refused(
                        path, "mode " + mode + " (expected: rwx------); run chmod 700 on it,");
            }
        }
    }

    private static boolean isOwn(Path path, PosixFileAttributes found) throws IOException {
        int user = Posix.userId();
        // By id where possible: in a container the user may have no name.
        return user == Posix.UNKNOWN_USER
                ? found.owner().getName().equals(System.getProperty("user.name"))
                : Files.getAttribute(path, "unix:uid", NOFOLLOW_LINKS).equals(user);
    }

    private static VerbsException refused(Path path, String reason) {
        return new VerbsException(VERB, Errno.EACCES, path + ": " + reason + advice());
    }

    private static String advice() {
        return " or name another folder with -D" + PROPERTY;
    }

    private static boolean isDigit(int character) {
        // Only the lower-case digits we write: another spelling is not one of our files.
        return (character >= '0' && character <= '9') || (character >= 'a' && character <= 'f');
    }

    private static String digits(long instance) {
        return HexFormat.of().toHexDigits(instance);
    }
}
