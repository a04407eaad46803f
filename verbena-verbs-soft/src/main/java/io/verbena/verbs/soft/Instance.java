// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;
import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.WRITE;

import io.verbena.verbs.Errno;
import io.verbena.verbs.VerbsException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * One live software device of this process, known to others by a random number.
 *
 * <p>It lives as long as it holds the lock on its lock file. The kernel drops that lock when the
 * process dies, however it dies, and {@link #sweep} of any other process then removes what is left.
 * A number is never used twice.
 *
 * <p>Any thread may use it.
 */
final class Instance implements AutoCloseable {
    /**
     * The instances whose lock file this JVM has open: its own, and those it is sweeping.
     *
     * <p>Static, because what it guards belongs to the process: POSIX drops all locks of a process
     * on a file when the process closes any descriptor of that file. A second open and close of a
     * lock file, by any thread or device, would silently end the life of its instance. Code that
     * fails to add the number here must not open the file.
     */
    private static final Set<Long> OPEN_LOCKS = ConcurrentHashMap.newKeySet();

    /** How old a file without a lock file must be before it counts as abandoned. */
    private static final Duration ORPHAN_AGE = Duration.ofMinutes(1);

    private final SoftDirectory directory;
    private final long id;
    private final FileChannel lock;
    private final AtomicBoolean closed = new AtomicBoolean();

    private Instance(SoftDirectory directory, long id, FileChannel lock) {
        this.directory = directory;
        this.id = id;
        this.lock = lock;
    }

    /**
     * A new instance, alive from now on.
     *
     * @throws VerbsException if the lock file cannot be created
     */
    static Instance claim(SoftDirectory directory) {
        SecureRandom random = new SecureRandom();
        try {
            Optional<Instance> claimed = Optional.empty();
            while (claimed.isEmpty()) {
                claimed = tryClaim(directory, random.nextLong());
            }
            return claimed.get();
        } catch (IOException e) {
            throw new VerbsException("ibv_open_device", Errno.EIO, directory.path() + ": " + e, e);
        }
    }

    /**
     * Removes the files of all instances whose process is gone.
     *
     * <p>Also removes files that no lock file accounts for, once they are a minute old. Any number
     * of processes may sweep, claim and close at the same time.
     *
     * @return how many instances this call removed
     * @throws VerbsException if something could not be removed, after trying the rest
     */
    static int sweep(SoftDirectory directory) {
        Failures failures = new Failures();
        int swept = 0;
        for (Path file : files(directory, "*", failures)) {
            if (SoftDirectory.belongsToInstance(file)) {
                long id = SoftDirectory.instanceOf(file);
                if (!SoftDirectory.isLock(file)) {
                    failures.collect(() -> removeOrphan(directory, id, file));
                } else if (sweepInstance(directory, id, failures)) {
                    swept++;
                }
            }
        }
        failures.throwAs("ibv_open_device", directory.path());
        return swept;
    }

    /** {@return the number of this instance, never zero} */
    long id() {
        return id;
    }

    /**
     * Removes every file of this instance, and then dies; a second call does nothing.
     *
     * @throws VerbsException if something could not be removed, after trying the rest
     */
    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        Failures failures = new Failures();
        removeFiles(directory, id, failures);
        failures.collect(lock::close);
        OPEN_LOCKS.remove(id);
        failures.throwAs("ibv_close_device", directory.path());
    }

    private static Optional<Instance> tryClaim(SoftDirectory directory, long id)
            throws IOException {
        if (id == 0 || !OPEN_LOCKS.add(id)) {
            return Optional.empty();
        }
        Optional<Instance> claimed = Optional.empty();
        try {
            claimed = lockNew(directory, id);
            return claimed;
        } finally {
            if (claimed.isEmpty()) {
                OPEN_LOCKS.remove(id);
            }
        }
    }

    private static Optional<Instance> lockNew(SoftDirectory directory, long id) throws IOException {
        Path file = directory.lock(id);
        FileChannel channel =
                FileChannel.open(
                        file,
                        Set.of(CREATE_NEW, WRITE),
                        PosixFilePermissions.asFileAttribute(
                                PosixFilePermissions.fromString("rw-------")));
        boolean done = false;
        try {
            // Between creation and lock a sweeper may have taken the instance for dead. It then
            // still holds the lock or has removed the file; nobody but us ever creates a file of
            // this name.
            done = channel.tryLock() != null && Files.exists(file, NOFOLLOW_LINKS);
            return done ? Optional.of(new Instance(directory, id, channel)) : Optional.empty();
        } finally {
            if (!done) {
                Files.deleteIfExists(file);
                channel.close();
            }
        }
    }

    private static boolean sweepInstance(SoftDirectory directory, long id, Failures failures) {
        if (!OPEN_LOCKS.add(id)) {
            return false;
        }
        // Not created if absent: then another sweeper, or the owner, was faster.
        try (FileChannel channel = FileChannel.open(directory.lock(id), WRITE, NOFOLLOW_LINKS);
                FileLock lock = channel.tryLock()) {
            return lock != null && removeFiles(directory, id, failures);
        } catch (NoSuchFileException e) {
            return false;
        } catch (IOException e) {
            failures.add(e);
            return false;
        } finally {
            OPEN_LOCKS.remove(id);
        }
    }

    /** Removes the lock file last, so that the next sweep finishes one that dies halfway. */
    private static boolean removeFiles(SoftDirectory directory, long id, Failures failures) {
        Path lock = directory.lock(id);
        for (Path file : files(directory, SoftDirectory.prefix(id) + "*", failures)) {
            if (!file.equals(lock)) {
                failures.collect(() -> Files.deleteIfExists(file));
            }
        }
        try {
            return Files.deleteIfExists(lock);
        } catch (IOException e) {
            failures.add(e);
            return false;
        }
    }

    private static void removeOrphan(SoftDirectory directory, long id, Path file)
            throws IOException {
        Instant limit = Instant.now().minus(ORPHAN_AGE);
        try {
            FileTime modified = Files.getLastModifiedTime(file, NOFOLLOW_LINKS);
            if (modified.toInstant().isBefore(limit)
                    && !OPEN_LOCKS.contains(id)
                    && Files.notExists(directory.lock(id), NOFOLLOW_LINKS)) {
                Files.deleteIfExists(file);
            }
        } catch (NoSuchFileException e) {
            // Already gone, which is what we want.
        }
    }

    private static List<Path> files(SoftDirectory directory, String glob, Failures failures) {
        List<Path> files = new ArrayList<>();
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(directory.path(), glob)) {
            stream.forEach(files::add);
        } catch (DirectoryIteratorException e) {
            failures.add(e.getCause());
        } catch (IOException e) {
            failures.add(e);
        }
        return files;
    }
}
