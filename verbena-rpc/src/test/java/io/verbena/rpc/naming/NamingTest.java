// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.naming;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.rpc.spi.EntryResolver;
import io.verbena.rpc.spi.HostLookup;
import io.verbena.rpc.spi.NamingService;
import io.verbena.rpc.spi.ServerEntry;
import io.verbena.rpc.spi.ServerNode;
import io.verbena.testing.Eventually;
import io.verbena.testing.PlayedNameServer;
import io.verbena.testing.PlayedRegistry;
import io.verbena.testing.PlayedRegistry.Answer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import javax.naming.NamingException;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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
        assertThatThrownBy(
                        () ->
                                new DnsNaming(lookup, name -> List.of())
                                        .watch("a:b:c/pods.example:80", heard))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("name server: a:b:c");
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
            replace(file, "10.0.0.9:80\n");
            Eventually.become(() -> lines(file).contains(line), () -> lines(file).toString());
            assertThat(lines(file)).contains("10.0.0.9:80");
            Files.delete(file);
            Eventually.become(() -> lines(file).equals(List.of(line)), () -> "not written");
            Eventually.become(entry::isListed, () -> "not listed");
        }
        assertThat(lines(file)).isEmpty();
    }

    /** In one step: nobody reads it while it is empty. */
    private void replace(Path file, String text) throws IOException {
        Path written = folder.resolve("written");
        Files.writeString(written, text);
        Files.move(written, file, StandardCopyOption.REPLACE_EXISTING);
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

    /** A name server that knows the given records, each under its type and name. */
    private static PlayedNameServer nameServer(Map<String, List<String>> zone) throws IOException {
        return new PlayedNameServer(
                (name, type) -> zone.getOrDefault(type + " " + name, List.of()));
    }

    @Test
    void shouldAskANameServerForServices() throws Exception {
        try (PlayedNameServer server =
                nameServer(Map.of("SRV _echo._tcp.example", List.of("10 60 8002 a.example")))) {
            List<ServiceRecords.Service> found =
                    ServiceRecords.at(NameServers.at(server.address())).of("_echo._tcp.example");

            assertThat(found)
                    .containsExactly(new ServiceRecords.Service(10, 60, 8002, "a.example"));
        }
    }

    @Test
    void shouldListServicesThatTheNameServerInTheAddressKnows() throws Exception {
        Map<String, List<String>> zone = new ConcurrentHashMap<>();
        zone.put("SRV _echo._tcp.example", List.of("1 5 8001 a.example", "1 0 8002 b.example"));
        zone.put("A a.example", List.of("10.0.0.1"));
        zone.put("AAAA b.example", List.of("fd00::2"));
        // those of the system, which is not asked
        hosts.put("a.example", List.of("10.9.9.9"));
        DnsNaming naming = new DnsNaming(lookup, name -> List.of());
        try (PlayedNameServer server = nameServer(zone);
                NamingService.Watch _ =
                        naming.watch(server.address() + "/_echo._tcp.example", heard)) {
            heard.awaitServers("10.0.0.1:8001 w=5", "[fd00:0:0:0:0:0:0:2]:8002");
        }
    }

    @Test
    void shouldListEveryAddressThatTheNameServerInTheAddressKnows() throws Exception {
        try (PlayedNameServer server =
                        nameServer(Map.of("A pods.example", List.of("10.0.0.1", "10.0.0.2")));
                NamingService.Watch _ =
                        new DnsNaming(lookup, name -> List.of())
                                .watch(server.address() + "/pods.example:80", heard)) {
            heard.awaitServers("10.0.0.1:80", "10.0.0.2:80");
        }
    }

    @Test
    void shouldListServicesThatDoNotFitIntoADatagram() throws Exception {
        List<String> services =
                IntStream.range(8000, 8100).mapToObj(port -> "1 1 " + port + " a.example").toList();
        try (PlayedNameServer server =
                        nameServer(
                                Map.of(
                                        "SRV _echo._tcp.example",
                                        services,
                                        "A a.example",
                                        List.of("10.0.0.1")));
                NamingService.Watch _ =
                        new DnsNaming(lookup, name -> List.of())
                                .watch(server.address() + "/_echo._tcp.example", heard)) {
            heard.awaitServers(
                    IntStream.range(8000, 8100)
                            .mapToObj(port -> "10.0.0.1:" + port)
                            .toArray(String[]::new));
        }
    }

    @Test
    void shouldReportANameServerThatDoesNotKnowOrDoesNotAnswer() throws Exception {
        DnsNaming naming = new DnsNaming(lookup, name -> List.of());
        String address;
        try (PlayedNameServer server = nameServer(Map.of())) {
            address = server.address();
            try (NamingService.Watch _ = naming.watch(address + "/pods.example:80", heard)) {
                heard.awaitFailures(1);
                assertThat(heard.failures.getFirst())
                        .isInstanceOf(UnknownHostException.class)
                        .hasMessageContaining("pods.example")
                        .hasMessageContaining(address);
            }
        }
        heard.failures.clear();
        try (NamingService.Watch _ = naming.watch(address + "/_echo._tcp.example", heard)) {
            heard.awaitFailures(1);
        }
        assertThat(heard.lists).isEmpty();
    }

    @Test
    void shouldFetchAListOverHttp() {
        try (PlayedRegistry server =
                new PlayedRegistry(
                        request ->
                                request.line().equals("GET /servers")
                                        ? Answer.ok("10.0.0.1:80 w=4\n")
                                        : new Answer(404, Map.of(), ""))) {
            try (NamingService.Watch _ =
                    new HttpNaming("http", lookup).watch(server.address() + "/servers", heard)) {
                heard.awaitServers("10.0.0.1:80 w=4");
            }
            try (NamingService.Watch _ =
                    new HttpNaming("http", lookup).watch(server.address() + "/elsewhere", heard)) {
                heard.awaitFailures(1);
            }
        }
    }

    @Test
    void shouldReportAListThatStallsAndAskAgain() {
        AtomicInteger asked = new AtomicInteger();
        try (PlayedRegistry server =
                        new PlayedRegistry(
                                _ ->
                                        asked.getAndIncrement() == 0
                                                ? Answer.stalled("10.0.0.1:8")
                                                : Answer.ok("10.0.0.1:80\n"));
                NamingService.Watch _ =
                        new HttpNaming("http", lookup)
                                .watch(server.address() + "/servers", heard)) {
            heard.awaitServers("10.0.0.1:80");

            assertThat(heard.failures)
                    .first(InstanceOfAssertFactories.THROWABLE)
                    .hasMessageContaining("no whole answer within 1000 ms");
        }
    }

    /** Some name servers fail for types that they do not know. */
    @ParameterizedTest
    @ValueSource(strings = {"A", "AAAA"})
    void shouldListTheAddressesOfOneTypeIfTheOtherFails(String failing) throws Exception {
        Map<String, String> zone = Map.of("A", "10.0.0.1", "AAAA", "fd00::2");
        String left = failing.equals("A") ? "[fd00:0:0:0:0:0:0:2]:80" : "10.0.0.1:80";
        try (PlayedNameServer server =
                        new PlayedNameServer(
                                (_, type) -> {
                                    if (type.equals(failing)) {
                                        throw new IOException("not implemented");
                                    }
                                    return zone.containsKey(type)
                                            ? List.of(zone.get(type))
                                            : List.of();
                                });
                NamingService.Watch _ =
                        new DnsNaming(lookup, name -> List.of())
                                .watch(server.address() + "/pods.example:80", heard)) {
            heard.awaitServers(left);
            assertThat(heard.failures).isEmpty();
        }
    }

    @Test
    void shouldReportANameServerThatFailsForAllTypes() throws Exception {
        try (PlayedNameServer server =
                        new PlayedNameServer(
                                (_, _) -> {
                                    throw new IOException("broken");
                                });
                NamingService.Watch _ =
                        new DnsNaming(lookup, name -> List.of())
                                .watch(server.address() + "/pods.example:80", heard)) {
            heard.awaitFailures(1);

            assertThat(heard.failures.getFirst())
                    .isInstanceOf(UnknownHostException.class)
                    .hasCauseInstanceOf(NamingException.class);
            assertThat(heard.lists).isEmpty();
        }
    }

    @Test
    void shouldLeaveOutServersWithAWeightThatIsNotAllowed() throws IOException {
        Path file = folder.resolve("weights");
        Files.writeString(file, "10.0.0.1:80 w=0\n10.0.0.2:80 w=2\n10.0.0.3:80 w=many\n");
        try (NamingService.Watch _ = new FileNaming(lookup).watch(file.toString(), heard)) {
            heard.awaitServers("10.0.0.2:80 w=2");
            assertThat(heard.failures).isEmpty();

            // nobody said that there is no server
            replace(file, "10.0.0.1:80 w=0\n");
            heard.awaitFailures(1);
            assertThat(heard.failures.getFirst()).hasMessageContaining("weight: 0");
            assertThat(heard.lists).hasSize(1);
        }
        assertThatThrownBy(() -> new ListNaming("list", lookup).watch("10.0.0.1:80 w=0", heard))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new ListNaming("list", lookup).watch("some-host:80 w=0", heard))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void shouldForgetHostsThatAreNoLongerListed() throws UnknownHostException {
        EntryResolver resolver = new EntryResolver(lookup);
        List<ServerEntry> gone = List.of(ServerEntry.parse("gone:80"));
        hosts.put("gone", List.of("10.0.0.1"));
        hosts.put("other", List.of("10.0.0.2"));
        resolver.resolve(gone);
        hosts.remove("gone");
        // still known
        assertThat(resolver.resolve(gone)).hasSize(1);

        resolver.resolve(List.of(ServerEntry.parse("other:80")));

        assertThatThrownBy(() -> resolver.resolve(gone)).isInstanceOf(UnknownHostException.class);
    }
}
