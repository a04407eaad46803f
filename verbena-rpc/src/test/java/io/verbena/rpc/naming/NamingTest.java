// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.naming;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.rpc.spi.HostLookup;
import io.verbena.rpc.spi.NamingService;
import io.verbena.rpc.spi.ServerNode;
import io.verbena.testing.Eventually;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NamingTest {
    /** What a listener was told. */
    private static final class Heard implements NamingService.Listener {
        final List<List<ServerNode>> lists = new CopyOnWriteArrayList<>();
        final List<Throwable> failures = new CopyOnWriteArrayList<>();

        @Override
        public void onServers(List<ServerNode> servers) {
            lists.add(List.copyOf(servers));
        }

        @Override
        public void onFailure(Throwable cause) {
            failures.add(cause);
        }

        private boolean isLast(List<String> expected) {
            return !lists.isEmpty()
                    && lists.getLast().stream().map(Lines::line).toList().equals(expected);
        }

        void awaitServers(String... expected) {
            Eventually.become(
                    () -> isLast(List.of(expected)), () -> lists + ", failures " + failures);
        }

        void awaitFailures(int count) {
            Eventually.become(() -> failures.size() >= count, () -> "failures " + failures);
        }
    }

    private final Heard heard = new Heard();

    /** Names that a test changes. */
    private final Map<String, List<String>> hosts = new ConcurrentHashMap<>();

    private final HostLookup lookup =
            host -> {
                List<String> found = hosts.get(host);
                if (found == null) {
                    if (host.startsWith("10.")) {
                        return new InetAddress[] {ip(host)};
                    }
                    throw new UnknownHostException(host);
                }
                InetAddress[] addresses = new InetAddress[found.size()];
                for (int i = 0; i < addresses.length; i++) {
                    addresses[i] = ip(found.get(i));
                }
                return addresses;
            };

    @TempDir private Path folder;

    private static InetAddress ip(String text) throws UnknownHostException {
        return InetAddress.getAllByName(text)[0];
    }

    @Test
    void shouldReadListsWithTagsAndWeights() {
        new ListNaming("list", lookup)
                .watch("10.0.0.1:80, 10.0.0.2:81 zone=a w=7,10.0.0.3:82 5", heard)
                .close();

        heard.awaitServers("10.0.0.1:80", "10.0.0.2:81 zone=a w=7", "10.0.0.3:82 5 w=5");
        assertThat(heard.lists.getLast().get(1).weight()).isEqualTo(7);
        assertThat(heard.lists.getLast().get(1).tag()).isEqualTo("zone=a");
        assertThat(heard.lists.getLast().get(2).weight()).isEqualTo(5);
    }

    @Test
    void shouldRejectMalformedNames() {
        assertThatThrownBy(() -> new ListNaming("list", lookup).watch("10.0.0.1", heard))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new ListNaming("list", lookup).watch("10.0.0.1:x", heard))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new FileNaming(lookup).watch("", heard))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new HttpNaming("http", lookup).watch("", heard))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(
                        () ->
                                new DnsNaming(lookup, name -> List.of())
                                        .watch("a name without a port", heard))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void shouldFollowAFile() throws IOException {
        Path file = folder.resolve("servers");
        Files.writeString(file, "# ours\n10.0.0.1:80 w=2\n\n10.0.0.2:80 # new\n");
        try (NamingService.Watch _ = new FileNaming(lookup).watch(file.toString(), heard)) {
            heard.awaitServers("10.0.0.1:80 w=2", "10.0.0.2:80");
            Files.writeString(file, "10.0.0.2:80\n");
            heard.awaitServers("10.0.0.2:80");
            Files.delete(file);
            heard.awaitFailures(1);
            Files.writeString(file, "10.0.0.3:80\n");
            heard.awaitServers("10.0.0.3:80");
        }
    }

    @Test
    void shouldReportAFileThatIsNotThereAtTheStart() throws IOException {
        Path file = folder.resolve("later");
        try (NamingService.Watch _ = new FileNaming(lookup).watch(file.toString(), heard)) {
            heard.awaitFailures(1);
            assertThat(heard.lists).isEmpty();
            Files.writeString(file, "10.0.0.1:80\n");
            heard.awaitServers("10.0.0.1:80");
            Files.writeString(file, "10.0.0.1:80\nnonsense\n");
            int failures = heard.failures.size();
            heard.awaitFailures(failures + 1);
            heard.awaitServers("10.0.0.1:80");
        }
    }

    @Test
    void shouldAnnounceServersInAFile() throws IOException {
        Path file = folder.resolve("joined");
        FileNaming naming = new FileNaming(lookup);
        try (NamingService.Watch _ = naming.watch(file.toString(), heard)) {
            List<NamingService.Registration> joined =
                    IntStream.range(0, 20)
                            .parallel()
                            .mapToObj(i -> naming.register(file.toString(), node(i)))
                            .toList();
            assertThat(joined).allMatch(NamingService.Registration::isListed);
            assertThat(Files.readAllLines(file)).hasSize(20);
            joined.stream().skip(1).parallel().forEach(NamingService.Registration::close);
            joined.getLast().close();

            heard.awaitServers(Lines.line(node(0)));
            assertThat(joined.getLast().isListed()).isFalse();
        }
    }

    @Test
    void shouldAnnounceAServerOnceTheFileCanBeWritten() throws IOException {
        Path file = folder.resolve("missing").resolve("joined");
        try (NamingService.Registration entry =
                new FileNaming(lookup).register(file.toString(), node(1))) {
            assertThat(entry.isListed()).isFalse();
            Files.createDirectory(file.getParent());
            Eventually.become(entry::isListed, () -> "not listed");
        }
        assertThat(Files.readAllLines(file)).isEmpty();
    }

    @Test
    void shouldAnnounceAServerAgainThatSomebodyElseRemoved() throws IOException {
        Path file = folder.resolve("cleared");
        String line = Lines.line(node(1));
        FileNaming naming = new FileNaming(lookup);
        try (NamingService.Registration entry = naming.register(file.toString(), node(1))) {
            Files.writeString(file, "10.0.0.9:80\n");
            Eventually.become(() -> lines(file).contains(line), () -> lines(file).toString());
            assertThat(lines(file)).contains("10.0.0.9:80");
            Files.delete(file);
            Eventually.become(() -> lines(file).equals(List.of(line)), () -> "not written");
            Eventually.become(entry::isListed, () -> "not listed");
        }
        assertThat(lines(file)).isEmpty();
    }

    private static List<String> lines(Path file) {
        try {
            return Files.exists(file) ? Files.readAllLines(file) : List.of();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static ServerNode node(int number) {
        try {
            InetAddress address = InetAddress.getByAddress(new byte[] {10, 0, 0, (byte) number});
            return new ServerNode(new InetSocketAddress(address, 80), "zone=a", 3);
        } catch (UnknownHostException e) {
            throw new AssertionError("four bytes are an address", e);
        }
    }

    @Test
    void shouldListEveryAddressOfAHost() {
        hosts.put("pods", List.of("10.0.0.1", "10.0.0.2", "fd00::1"));
        try (NamingService.Watch _ =
                new DnsNaming(lookup, name -> List.of()).watch("pods:80", heard)) {
            heard.awaitServers("10.0.0.1:80", "10.0.0.2:80", "[fd00:0:0:0:0:0:0:1]:80");
        }
    }

    @Test
    void shouldListServicesOfTheFirstPriority() {
        hosts.put("a.example", List.of("10.0.0.1"));
        hosts.put("b.example", List.of("10.0.0.2", "10.0.0.3"));
        ServiceRecords records =
                name ->
                        List.of(
                                ServiceRecords.Service.parse("10 60 8001 a.example."),
                                ServiceRecords.Service.parse("10 0 8002 b.example."),
                                ServiceRecords.Service.parse("20 10 8003 c.example."));
        try (NamingService.Watch _ =
                new DnsNaming(lookup, records).watch("_echo._tcp.example", heard)) {
            heard.awaitServers("10.0.0.1:8001 w=60", "10.0.0.2:8002", "10.0.0.3:8002");
        }
    }

    @Test
    void shouldListTheServicesWhoseHostsAreKnown() throws Exception {
        hosts.put("a.example", List.of("10.0.0.1"));
        hosts.put("b.example", List.of("10.0.0.2"));
        AtomicReference<List<String>> listed =
                new AtomicReference<>(List.of("10 1 80 gone.example.", "10 1 80 a.example."));
        ServiceRecords records =
                name -> {
                    List<ServiceRecords.Service> found = new ArrayList<>();
                    for (String record : listed.get()) {
                        found.add(ServiceRecords.Service.parse(record));
                    }
                    return found;
                };
        DnsNaming naming = new DnsNaming(lookup, records);
        try (NamingService.Watch _ = naming.watch("_echo._tcp.example", heard)) {
            heard.awaitServers("10.0.0.1:80");
            assertThat(heard.failures).isEmpty();

            // a host that was known keeps its address
            hosts.remove("a.example");
            listed.set(List.of("10 1 80 a.example.", "10 1 80 b.example."));
            heard.awaitServers("10.0.0.1:80", "10.0.0.2:80");
        }
        listed.set(List.of("10 1 80 gone.example."));
        try (NamingService.Watch _ = naming.watch("_echo._tcp.example", heard)) {
            heard.awaitFailures(1);
        }
    }

    @Test
    void shouldAskANameServerForServices() throws Exception {
        try (FakeNameServer server = new FakeNameServer()) {
            List<ServiceRecords.Service> found =
                    ServiceRecords.at(server.url()).of("_echo._tcp.example");

            assertThat(found)
                    .containsExactly(new ServiceRecords.Service(10, 60, 8002, "a.example"));
        }
    }

    @Test
    void shouldFetchAListOverHttp() throws Exception {
        try (FakeWebServer server = new FakeWebServer("/servers", "10.0.0.1:80 w=4\n")) {
            try (NamingService.Watch _ =
                    new HttpNaming("http", lookup).watch(server.host() + "/servers", heard)) {
                heard.awaitServers("10.0.0.1:80 w=4");
            }
            try (NamingService.Watch _ =
                    new HttpNaming("http", lookup).watch(server.host() + "/elsewhere", heard)) {
                heard.awaitFailures(1);
            }
        }
    }
}
