// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.testing.ChildJvm;
import io.verbena.testing.Seeds;
import io.verbena.verbs.Errno;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.WorkCompletionStatus;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A peer process that is killed, over and over, while requests run in both directions. */
@Tag("quiet")
@Timeout(120)
class KilledPeerTest {
    private static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long START_NS = TimeUnit.SECONDS.toNanos(20);
    private static final int ROUNDS = Integer.getInteger("verbena.test.kills", 7);

    @ParameterizedTest
    @EnumSource(Traffic.Kind.class)
    void shouldFailCleanlyWhenThePeerIsKilled(Traffic.Kind kind) throws Exception {
        long seed = Seeds.next("KilledPeerTest " + kind);
        Random random = new Random(seed);
        for (int round = 0; round < ROUNDS; round++) {
            killWhileBusy(kind, random, round % 2 == 0);
        }
    }

    /**
     * Kills either a running peer, which may just have answered everything, or one that was halted
     * before and certainly has not.
     */
    private static void killWhileBusy(Traffic.Kind kind, Random random, boolean isHalted)
            throws Exception {
        boolean isShared = random.nextBoolean();
        try (Party party = new Party("soft0", Traffic.REGION_BYTES, isShared, 16);
                ChildJvm child = ChildJvm.start(Child.class, kind, random.nextLong())) {
            Traffic traffic = new Traffic(party, kind, random.nextLong());
            String address = connect(party, traffic, child);

            long startNs = System.nanoTime();
            long killNs = startNs + random.nextInt(60_000_000);
            boolean isLate = random.nextBoolean();
            while (System.nanoTime() < killNs || isLate && traffic.successes() < 100) {
                traffic.fillWindow();
                traffic.pollOne();
                assertThat(System.nanoTime() - startNs).as("%s", traffic).isLessThan(START_NS);
            }
            if (isHalted) {
                child.halt();
                while (traffic.pollOne()) {
                    traffic.fillWindow();
                }
                traffic.fillWindow();
            }
            traffic.doom();
            long killedNs = System.nanoTime();
            child.destroy();
            while (!traffic.isOver()) {
                traffic.fillWindow();
                pollBefore(killedNs + LIMIT_NS, traffic);
            }

            assertThat(traffic.flushedReceives()).isEqualTo(Traffic.RECEIVES);
            assertFailures(traffic);
            assertThat(traffic.mustRetryFail() || !isHalted).as("%s", traffic).isTrue();
            child.kill();
            assertSwept(Party.instance(address));
        }
    }

    private static String connect(Party party, Traffic traffic, ChildJvm child)
            throws InterruptedException {
        String address = child.line();
        party.toInit();
        traffic.postReceives();
        party.connect(address);
        child.tell(party.address());
        assertThat(child.line()).isEqualTo("connected");
        return address;
    }

    private static void assertFailures(Traffic traffic) {
        List<WorkCompletionStatus> failures = traffic.failures();
        if (traffic.mustRetryFail()) {
            assertThat(failures.getFirst())
                    .as("%s", traffic)
                    .isEqualTo(WorkCompletionStatus.RETRY_EXCEEDED);
        }
        assertThat(failures.subList(1, failures.size()))
                .isEqualTo(
                        Collections.nCopies(
                                failures.size() - 1, WorkCompletionStatus.WORK_REQUEST_FLUSHED));
    }

    private static void assertSwept(long instance) throws IOException {
        SoftDirectory directory = SoftDirectory.open();
        assertThat(files(directory, instance)).isNotEmpty();

        Instance.sweep(directory);

        assertThat(files(directory, instance)).isEmpty();
    }

    private static List<Path> files(SoftDirectory directory, long instance) throws IOException {
        try (Stream<Path> files = Files.list(directory.path())) {
            return files.filter(SoftDirectory::belongsToInstance)
                    .filter(file -> SoftDirectory.instanceOf(file) == instance)
                    .toList();
        }
    }

    @Test
    void shouldFailWhenNothingIsOutstanding() throws Exception {
        try (Party party = new Party("soft0", Traffic.REGION_BYTES, true, 16);
                ChildJvm child = ChildJvm.start(Child.class, "idle", 1)) {
            Traffic traffic = new Traffic(party, Traffic.Kind.SEND, 1);
            connect(party, traffic, child);

            awaitEnd(child, traffic);

            assertThat(traffic.flushedReceives()).isEqualTo(Traffic.RECEIVES);
            assertThat(traffic.failures()).isEmpty();
        }
    }

    @Test
    void shouldFailWhenThePeerDiesBeforeItIsReady() throws Exception {
        for (int round = 0; round < 3; round++) {
            try (Party party = new Party("soft0", Traffic.REGION_BYTES, true, 16);
                    ChildJvm child = ChildJvm.start(Child.class, "idle", 1)) {
                Traffic traffic = new Traffic(party, Traffic.Kind.SEND, 1);
                String address = child.line();
                party.toInit();
                traffic.postReceives();
                party.connect(address);
                if (round > 0) {
                    traffic.fillWindow();
                }
                if (round > 1) {
                    child.tell(party.address());
                }

                awaitEnd(child, traffic);

                if (round > 0) {
                    assertFailures(traffic);
                }
            }
        }
    }

    @Test
    void shouldRefuseToConnectToTheDead() throws Exception {
        try (Party party = new Party("soft0", Traffic.REGION_BYTES, true, 16);
                ChildJvm child = ChildJvm.start(Child.class, "idle", 1)) {
            String address = child.line();
            child.kill();
            party.toInit();

            assertThatThrownBy(() -> party.connect(address))
                    .isInstanceOfSatisfying(
                            VerbsException.class,
                            e -> assertThat(e.errno()).isEqualTo(Errno.EHOSTUNREACH))
                    .hasMessageContaining("gone");

            assertThat(party.pair.state()).isEqualTo(QueuePairState.INIT);
        }
    }

    private static void awaitEnd(ChildJvm child, Traffic traffic) {
        long limitNs = System.nanoTime() + LIMIT_NS;
        child.destroy();
        while (!traffic.isOver()) {
            pollBefore(limitNs, traffic);
        }
    }

    private static void pollBefore(long limitNs, Traffic traffic) {
        traffic.pollOne();
        assertThat(System.nanoTime() - limitNs).as("%s", traffic).isNegative();
    }

    /** The process that is killed. */
    static final class Child {
        private Child() {}

        public static void main(String[] arguments) throws IOException {
            boolean isIdle = arguments[0].equals("idle");
            Traffic.Kind kind = isIdle ? Traffic.Kind.SEND : Traffic.Kind.valueOf(arguments[0]);
            long seed = Long.parseLong(arguments[1]);
            Party party = new Party("soft0", Traffic.REGION_BYTES, (seed & 1) == 0, 16);
            Traffic traffic = new Traffic(party, kind, seed);
            BufferedReader input =
                    new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            System.out.println(party.address());
            String address = input.readLine();
            party.toInit();
            traffic.postReceives();
            party.connect(address);
            System.out.println("connected");
            while (!isIdle && party.pair.state() != QueuePairState.ERROR) {
                traffic.fillWindow();
                traffic.pollOne();
            }
            // an idle process, or one whose parent has closed first, waits until its input ends
            input.readLine();
        }
    }
}
