// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.constantpool.PoolEntry;
import java.lang.classfile.constantpool.Utf8Entry;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Which package may use which: connections use the handshakes, handshakes use the endpoints, and
 * all use the values of the API, which depend on nothing.
 */
class PackageLayersTest {
    private static final String ROOT = "io/verbena/transport/";
    private static final Pattern OURS = Pattern.compile(ROOT + "((?:\\w+/)?\\w+)");

    private static final Set<String> VALUES =
            Set.of(
                    "ConnectionStatistics",
                    "Flag",
                    "HandshakeState",
                    "RdmaState",
                    "SocketMode",
                    "TransportError",
                    "TransportException",
                    "TransportFlag",
                    "TransportFlags");

    @Test
    void shouldKeepEndpointsFromKnowingHandshakesOrConnections() throws Exception {
        assertThat(strangers("rdma/", "rdma/")).isEmpty();
    }

    @Test
    void shouldKeepHandshakesFromKnowingConnections() throws Exception {
        assertThat(strangers("handshake/", "handshake/", "rdma/")).isEmpty();
    }

    @Test
    void shouldKeepValuesFromKnowingAnybody() throws Exception {
        for (String value : VALUES) {
            assertThat(strangers(value)).as(value).isEmpty();
        }
    }

    /** {@return what classes use besides values and the packages they may use} */
    private static Set<String> strangers(String classes, String... known)
            throws IOException, URISyntaxException {
        Path root =
                Path.of(Transport.class.getProtectionDomain().getCodeSource().getLocation().toURI())
                        .resolve(ROOT);
        try (Stream<Path> files = Files.walk(root)) {
            Set<Path> own =
                    files.filter(file -> isOf(root.relativize(file).toString(), classes))
                            .collect(Collectors.toSet());
            assertThat(own).as(classes).isNotEmpty();
            Set<String> strangers = new TreeSet<>();
            for (Path file : own) {
                strangers.addAll(references(file));
            }
            strangers.removeAll(VALUES);
            strangers.removeIf(name -> Stream.of(known).anyMatch(name::startsWith));
            return strangers;
        }
    }

    private static boolean isOf(String file, String classes) {
        return file.endsWith(".class")
                && (file.startsWith(classes + "$")
                        || file.equals(classes + ".class")
                        || classes.endsWith("/") && file.startsWith(classes));
    }

    private static Set<String> references(Path file) throws IOException {
        Set<String> found = new TreeSet<>();
        for (PoolEntry entry : ClassFile.of().parse(file).constantPool()) {
            if (entry instanceof Utf8Entry text) {
                Matcher matcher = OURS.matcher(text.stringValue());
                while (matcher.find()) {
                    found.add(matcher.group(1));
                }
            }
        }
        return found;
    }
}
