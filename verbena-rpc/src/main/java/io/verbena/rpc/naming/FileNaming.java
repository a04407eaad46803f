// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.naming;

import io.verbena.rpc.spi.EntryResolver;
import io.verbena.rpc.spi.HostLookup;
import io.verbena.rpc.spi.NamingService;
import io.verbena.rpc.spi.PollingWatch;
import io.verbena.rpc.spi.ServerEntry;
import io.verbena.rpc.spi.ServerNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.List;

/**
 * A file with a server per line: {@code file://path}. It is looked at every {@value #INTERVAL_MS}
 * ms, as in brpc, and read when it has changed; so it works on every file system, and for files
 * that are replaced. Servers that announce themselves add their line; the line of one that was
 * killed stays.
 */
final class FileNaming implements NamingService {
    private static final long INTERVAL_MS = 100;

    /** Host names are looked up again after this many looks at the file. */
    private static final int LOOKS_PER_RESOLUTION = 50;

    private final HostLookup lookup;

    FileNaming(HostLookup lookup) {
        this.lookup = lookup;
    }

    @Override
    public String scheme() {
        return "file";
    }

    @Override
    public Watch watch(String name, Listener listener) {
        return PollingWatch.start(
                "file",
                Duration.ofMillis(INTERVAL_MS),
                new Reader(path(name), new EntryResolver(lookup)),
                listener);
    }

    @Override
    public Registration register(String name, ServerNode server) {
        return FileEntry.add(path(name), Lines.line(server));
    }

    private static Path path(String name) {
        if (name.isBlank()) {
            throw new IllegalArgumentException("file://: no path (expected: file://path)");
        }
        try {
            return Path.of(name);
        } catch (InvalidPathException e) {
            throw new IllegalArgumentException("file://" + name + " (expected: a path)", e);
        }
    }

    /** {@return what differs when a file has changed} */
    static Object version(Path path) throws IOException {
        BasicFileAttributes attributes = Files.readAttributes(path, BasicFileAttributes.class);
        return List.of(
                attributes.lastModifiedTime(),
                attributes.size(),
                String.valueOf(attributes.fileKey()));
    }

    /** Reads a file when it has changed. For the thread of a watch. */
    private static final class Reader implements PollingWatch.Lookup {
        private final Path path;
        private final EntryResolver resolver;
        private List<ServerEntry> entries = List.of();
        private List<ServerNode> servers = List.of();
        private Object version = "never read";
        private int looks;

        Reader(Path path, EntryResolver resolver) {
            this.path = path;
            this.resolver = resolver;
        }

        @Override
        public List<ServerNode> find() throws IOException {
            Object current = version(path);
            boolean hasChanged = !current.equals(version);
            if (hasChanged) {
                entries = Lines.parse(Files.readAllLines(path));
            }
            if (hasChanged || ++looks % LOOKS_PER_RESOLUTION == 0 && hasNames()) {
                servers = resolver.resolve(entries);
                version = current;
            }
            return servers;
        }

        private boolean hasNames() {
            return !entries.stream().allMatch(ServerEntry::isNumeric);
        }
    }
}
