// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.naming;

import io.verbena.rpc.spi.NamingService;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The line of a server in a file, added again if somebody removes it. Files are replaced whole, so
 * readers never see half of one; those who change it take turns, by a lock on the file {@code
 * .lock} beside it.
 */
final class FileEntry implements NamingService.Registration {
    private static final Logger LOG = LoggerFactory.getLogger(FileEntry.class);
    private static final long PAUSE_MS = 500;

    /** File locks are between processes; within this one, threads take turns by this. */
    private static final ReentrantLock TURN = new ReentrantLock();

    private final Path path;
    private final String line;
    private final Thread watching;
    private volatile boolean isListed;
    private volatile boolean isClosed;

    private FileEntry(Path path, String line) {
        this.path = path;
        this.line = line;
        this.watching =
                Thread.ofPlatform()
                        .daemon()
                        .name("verbena-naming-file-entry")
                        .unstarted(this::watch);
    }

    /** {@return the entry, added now, or as soon as the file can be written} */
    static FileEntry add(Path path, String line) {
        FileEntry entry = new FileEntry(path, line);
        try {
            entry.write();
        } catch (IOException e) {
            LOG.warn("{} cannot be written; trying again until it can", path, e);
        }
        entry.watching.start();
        return entry;
    }

    private void write() throws IOException {
        change(
                lines -> {
                    // asked in turn with whoever closes it
                    if (!isClosed && !lines.contains(line)) {
                        lines.add(line);
                    }
                    return lines;
                });
        isListed = !isClosed;
    }

    /** Writes the line until it is there, and whenever somebody else has removed it. */
    private void watch() {
        Object checked = "never";
        while (!isClosed) {
            try {
                TimeUnit.MILLISECONDS.sleep(PAUSE_MS);
                Object version = isListed ? FileNaming.version(path) : "missing";
                if (!version.equals(checked)) {
                    checked = version;
                    check();
                }
            } catch (IOException e) {
                isListed = false;
                checked = "unknown";
                LOG.debug("{} still cannot be written", path, e);
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    private void check() throws IOException {
        if (!isListed || !Files.readAllLines(path).contains(line)) {
            if (isListed) {
                LOG.info("{} no longer lists {}; adding it again", path, line);
                isListed = false;
            }
            write();
        }
    }

    @Override
    public boolean isListed() {
        return isListed;
    }

    @Override
    public void close() {
        if (isClosed) {
            return;
        }
        isClosed = true;
        watching.interrupt();
        try {
            change(
                    lines -> {
                        lines.remove(line);
                        return lines;
                    });
        } catch (IOException e) {
            LOG.warn("{} cannot be written; it still lists {}", path, line, e);
        }
        isListed = false;
    }

    private void change(UnaryOperator<List<String>> edit) throws IOException {
        Path locked = path.resolveSibling(path.getFileName() + ".lock");
        TURN.lock();
        try (FileChannel channel =
                        FileChannel.open(
                                locked, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock _ = channel.lock()) {
            List<String> lines =
                    Files.exists(path)
                            ? new ArrayList<>(Files.readAllLines(path))
                            : new ArrayList<>();
            Path fresh = path.resolveSibling(path.getFileName() + ".new");
            Files.write(fresh, edit.apply(lines));
            Files.move(
                    fresh,
                    path,
                    StandardCopyOption.ATOMIC_MOVE,
                    StandardCopyOption.REPLACE_EXISTING);
        } finally {
            TURN.unlock();
        }
    }

    @Override
    public String toString() {
        return line + " in " + path;
    }
}
