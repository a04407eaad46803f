// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.demo;

import io.verbena.rpc.Channel;
import io.verbena.rpc.ChannelOptions;
import io.verbena.rpc.RpcNode;
import io.verbena.tools.JavaProgram;
import io.verbena.tools.LocalNode;
import io.verbena.transport.SocketMode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** The demonstration of a cluster: this process is the client, each server has one of its own. */
final class ClusterDemo {
    /** What happens, and after what part of the time. */
    private enum Event {
        KILL(0.2),
        ADD(0.4),
        DRAIN(0.6),
        ADD_ANOTHER(0.75);

        private final double when;

        Event(double when) {
            this.when = when;
        }
    }

    private static final long TICK_NS = TimeUnit.MILLISECONDS.toNanos(250);
    private static final long SECOND_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long WARM_UP_NS = TimeUnit.SECONDS.toNanos(30);

    private final JavaProgram program;
    private final int seconds;
    private final int servers;
    private final String balancer;
    private final List<ClusterMember> members = new ArrayList<>();
    private final List<ClusterMember> starting = new ArrayList<>();
    private final Screen screen = new Screen(System.out);

    ClusterDemo(JavaProgram program, int seconds, int servers, String balancer) {
        this.program = program;
        this.seconds = seconds;
        this.servers = servers;
        this.balancer = balancer;
    }

    void run(String givenRegistry) throws InterruptedException, IOException {
        Path folder = Files.createTempDirectory("verbena-cluster");
        String registry =
                givenRegistry.isEmpty() ? "file://" + folder.resolve("servers") : givenRegistry;
        try (RpcNode node = LocalNode.open(SocketMode.TCP, System.getProperties())) {
            introduce(registry);
            for (int i = 1; i <= servers; i++) {
                members.add(ClusterMember.start(program, i, registry));
            }
            for (ClusterMember member : members) {
                member.awaitListening();
            }
            try (Channel channel = Channel.open(node, registry, balancer, ChannelOptions.DEFAULT);
                    ClusterLoad load = new ClusterLoad(channel)) {
                load.start();
                awaitFirstAnswers(load);
                follow(load, registry);
                load.end();
                finish(load);
            }
        } finally {
            members.forEach(ClusterMember::close);
            starting.forEach(ClusterMember::close);
            delete(folder);
        }
    }

    private void introduce(String registry) {
        // first of all: on a busy machine, servers take a while to start
        print(
                List.of(
                        "Verbena cluster demo: "
                                + servers
                                + " servers, one channel, and what becomes of its calls",
                        "",
                        "  registry  " + registry,
                        "  balancer  " + balancer,
                        "  starting  " + servers + " processes, each with a Java runtime ...",
                        ""));
    }

    private static void remark(String text) {
        print(List.of("  --    " + text));
    }

    /** Shows lines that stay, below everything. */
    private static void print(List<String> lines) {
        new Screen(System.out).show(lines);
    }

    /** The first call of a new JVM takes long, which is not what is shown here. */
    private void awaitFirstAnswers(ClusterLoad load) throws InterruptedException {
        long began = System.nanoTime();
        while (members.stream().anyMatch(member -> load.answeredBy(member.port()) == 0)
                && System.nanoTime() - began < WARM_UP_NS) {
            TimeUnit.NANOSECONDS.sleep(TICK_NS);
        }
    }

    private void follow(ClusterLoad load, String registry) throws InterruptedException {
        ClusterView view = new ClusterView(screen, load, members);
        List<Event> left = new ArrayList<>(List.of(Event.values()));
        long total = TimeUnit.SECONDS.toNanos(seconds);
        long interval = screen.isTerminal() ? TICK_NS : SECOND_NS;
        long began = System.nanoTime();
        for (long shown = began; System.nanoTime() - began < total; ) {
            TimeUnit.NANOSECONDS.sleep(Math.min(TICK_NS, total));
            long now = System.nanoTime();
            double fraction = (double) (now - began) / total;
            while (!left.isEmpty() && fraction >= left.getFirst().when) {
                view.note(make(left.removeFirst(), registry));
            }
            takeIn();
            if (now - shown >= interval) {
                view.update(members, now - shown, (now - began) / SECOND_NS, fraction);
                shown = now;
            }
        }
    }

    /** Shows the servers that have started since. */
    private void takeIn() {
        for (ClusterMember member : List.copyOf(starting)) {
            if (member.isListening()) {
                starting.remove(member);
                members.add(member);
            }
        }
    }

    private String make(Event event, String registry) {
        return switch (event) {
            case KILL -> {
                ClusterMember victim = firstServing();
                victim.kill();
                yield "killed server " + victim.number() + ", which the registry still lists";
            }
            case DRAIN -> {
                ClusterMember leaving = firstServing();
                leaving.drain();
                yield "asked server " + leaving.number() + " to leave";
            }
            case ADD, ADD_ANOTHER -> {
                int number = members.size() + starting.size() + 1;
                ClusterMember added = ClusterMember.start(program, number, registry);
                added.listenSoon();
                starting.add(added);
                yield "added server " + number;
            }
        };
    }

    private ClusterMember firstServing() {
        return members.stream().filter(ClusterMember::isServing).findFirst().orElseThrow();
    }

    private void finish(ClusterLoad load) {
        String summary =
                String.format(
                        Locale.ROOT,
                        "%,d calls answered, %,d failed, %,d retried, %d without an outcome",
                        load.answered(),
                        load.failed(),
                        load.retried(),
                        load.open());
        for (ClusterMember late : starting) {
            remark(
                    "server "
                            + late.number()
                            + " was still starting: the machine is busy, use more --seconds");
        }
        if (load.failed() > 0) {
            remark("a call failed: " + load.failure());
        }
        print(List.of("", "  " + screen.good("ok") + "  " + summary));
        if (load.open() != 0) {
            throw new IllegalStateException("calls without an outcome: " + load.open());
        }
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }
}
