// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.testing.Seeds;
import io.verbena.verbs.AccessFlag;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.SendOpcode;
import io.verbena.verbs.WorkCompletionStatus;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A peer that writes garbage into everything it shares with its victim. It may break its own
 * connection. It must not access memory that was not exposed, lose or duplicate a completion, block
 * anybody else or crash anything.
 */
@Timeout(300)
class HostilePeerTest {
    private static final int ITERATIONS =
            Integer.getInteger("verbena.test.hostileIterations", 1_000_000);
    private static final int CONCURRENT_EPISODES =
            Integer.getInteger("verbena.test.hostileEpisodes", 300);
    private static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(20);
    private static final int REGION_BYTES = 64 * 1024;
    private static final byte CANARY = 0x5A;

    /** What may happen to a request; anything else means that a check is missing. */
    private static final Set<WorkCompletionStatus> LEGAL =
            EnumSet.of(
                    WorkCompletionStatus.SUCCESS,
                    WorkCompletionStatus.LOCAL_LENGTH,
                    WorkCompletionStatus.LOCAL_PROTECTION,
                    WorkCompletionStatus.LOCAL_ACCESS,
                    WorkCompletionStatus.WORK_REQUEST_FLUSHED,
                    WorkCompletionStatus.BAD_RESPONSE,
                    WorkCompletionStatus.REMOTE_INVALID_REQUEST,
                    WorkCompletionStatus.REMOTE_ACCESS,
                    WorkCompletionStatus.REMOTE_OPERATION,
                    WorkCompletionStatus.RETRY_EXCEEDED,
                    WorkCompletionStatus.RNR_RETRY_EXCEEDED);

    private final List<Throwable> uncaught = Collections.synchronizedList(new ArrayList<>());
    private final Map<WorkCompletionStatus, Integer> statuses =
            new EnumMap<>(WorkCompletionStatus.class);
    private final Arena arena = Arena.ofShared();
    private final MemorySegment canaries = arena.allocate(3L * REGION_BYTES, 4096);
    private Thread.UncaughtExceptionHandler previous;
    private Party left;
    private Party right;
    private long honest;

    @BeforeEach
    void start() {
        previous = Thread.getDefaultUncaughtExceptionHandler();
        Thread.setDefaultUncaughtExceptionHandler((thread, cause) -> uncaught.add(cause));
        left = new Party("soft0", REGION_BYTES, true, 16);
        right = new Party("soft0", REGION_BYTES, true, 16);
        left.toInit();
        right.toInit();
        left.connect(right.address());
        right.connect(left.address());
        canaries.fill(CANARY);
    }

    @AfterEach
    void stop() {
        Thread.setDefaultUncaughtExceptionHandler(previous);
        left.close();
        right.close();
        arena.close();
        assertThat(uncaught).isEmpty();
        assertThat(
                        Thread.getAllStackTraces().keySet().stream()
                                .map(Thread::getName)
                                .filter(name -> name.startsWith("verbena-soft")))
                .contains("verbena-soft0", "verbena-soft1");
    }

    @Test
    void shouldSurviveAPeerThatScribbles() throws Exception {
        long seed = Seeds.next("HostilePeerTest");
        int episodes = 0;
        for (int done = 0; done < ITERATIONS; episodes++) {
            Random random = new Random(seed + episodes);
            done += episode(random, "seed " + seed + " episode " + episodes, Victim::suffer);
        }
        System.out.println("HostilePeerTest " + episodes + " episodes: " + statuses);
    }

    /** The threads decide the order, so a seed repeats what is written but not when. */
    @Test
    void shouldSurviveAPeerThatScribblesMeanwhile() throws Exception {
        long seed = Seeds.next("HostilePeerTest");
        for (int i = 0; i < CONCURRENT_EPISODES; i++) {
            Random random = new Random(seed + i);
            episode(random, "seed " + seed + " concurrent episode " + i, Victim::sufferMeanwhile);
        }
        System.out.println("HostilePeerTest meanwhile: " + statuses);
    }

    /** How a victim and a scribbler take turns; {@return how many times the peer scribbled} */
    private interface Encounter {
        int meet(Victim victim, HostileScribbler scribbler) throws InterruptedException;
    }

    /** {@return how many times the peer scribbled} */
    private int episode(Random random, String name, Encounter encounter)
            throws ReflectiveOperationException, InterruptedException {
        Party victim = new Party("soft0", REGION_BYTES, random.nextBoolean(), 16);
        MemoryRegion secret =
                victim.domain.register(
                        canaries.asSlice(REGION_BYTES, REGION_BYTES), AccessFlag.LOCAL_WRITE);
        MemoryRegion readable =
                victim.domain.register(
                        canaries.asSlice(2L * REGION_BYTES, REGION_BYTES),
                        AccessFlag.LOCAL_WRITE,
                        AccessFlag.REMOTE_READ);
        try (Party attacker = new Party("soft1", REGION_BYTES, random.nextBoolean(), 16)) {
            victim.toInit();
            attacker.toInit();
            victim.connect(attacker.address());
            attacker.connect(victim.address());
            HostileScribbler scribbler =
                    new HostileScribbler(
                            new Random(random.nextLong()),
                            device(attacker),
                            engine(attacker).wire().message(),
                            device(victim),
                            engine(victim).wire().message(),
                            new long[] {
                                victim.region.address(),
                                victim.region.address() + REGION_BYTES - 8,
                                secret.address(),
                                readable.address(),
                                canaries.address(),
                                0
                            },
                            new int[] {
                                victim.region.rkey(),
                                victim.region.rkey(),
                                victim.region.lkey(),
                                secret.lkey(),
                                readable.rkey()
                            });
            Victim running = new Victim(victim, random, name);
            Turn frozen = freeze(attacker);
            try {
                int count = encounter.meet(running, scribbler);
                // a peer that does not release its memory delays the flush, which would make the
                // test slow
                if (random.nextInt(64) > 0) {
                    scribbler.letGo();
                }
                running.end();
                assertClosesSoon(() -> closeAll(victim, secret, readable), name);
                return count;
            } finally {
                // closing the attacker would wait for ever
                thaw(frozen);
            }
        } finally {
            assertThat(canaries.mismatch(intact())).as("canaries, %s", name).isEqualTo(-1);
            assertHonestPairWorks(name);
        }
    }

    /** Keeps the attacker's queue pair from doing what it should do, such as noticing errors. */
    private static Turn freeze(Party attacker) throws ReflectiveOperationException {
        Field field = QueuePairEngine.class.getDeclaredField("turn");
        field.setAccessible(true);
        Turn turn = (Turn) field.get(engine(attacker));
        assertThat(turn.enter()).isTrue();
        return turn;
    }

    private static void thaw(Turn turn) {
        while (!turn.tryExit()) {
            Thread.onSpinWait();
        }
    }

    private static void closeAll(Party victim, MemoryRegion... regions) {
        victim.pair.close();
        for (MemoryRegion region : regions) {
            region.close();
        }
        victim.close();
    }

    private MemorySegment intact() {
        MemorySegment whole = MemorySegment.ofArray(new byte[3 * REGION_BYTES]);
        return whole.fill(CANARY);
    }

    private static void assertClosesSoon(Runnable close, String name) {
        long startNs = System.nanoTime();
        close.run();
        assertThat(System.nanoTime() - startNs).as("time to close, %s", name).isLessThan(LIMIT_NS);
    }

    private void assertHonestPairWorks(String name) {
        honest++;
        assertThat(right.postReceive(honest, 0, 64)).isTrue();
        left.region.memory().set(ValueLayout.JAVA_LONG, 0, honest);
        assertThat(left.post(SendOpcode.SEND, honest, 0, 8, 0)).isTrue();
        assertThat(awaitOne(left, name)).isEqualTo(WorkCompletionStatus.SUCCESS);
        assertThat(awaitOne(right, name)).isEqualTo(WorkCompletionStatus.SUCCESS);
        assertThat(right.region.memory().get(ValueLayout.JAVA_LONG, 0)).isEqualTo(honest);
    }

    private static WorkCompletionStatus awaitOne(Party party, String name) {
        long limitNs = System.nanoTime() + LIMIT_NS;
        while (!party.poll()) {
            assertThat(System.nanoTime() - limitNs).as("honest pair, %s", name).isNegative();
            Thread.onSpinWait();
        }
        return party.cursor.status();
    }

    private static SoftDevice device(Party party) {
        return ((SoftProtectionDomain) party.domain).device();
    }

    private static QueuePairEngine engine(Party party) {
        return ((SoftQueuePair) party.pair).engine();
    }

    /** The work of the victim during one episode. */
    private final class Victim {
        private final Party party;
        private final Random random;
        private final String name;
        private final Set<Long> outstanding = new HashSet<>();
        private long next;

        Victim(Party party, Random random, String name) {
            this.party = party;
            this.random = random;
            this.name = name;
        }

        /**
         * Works until the connection has been failed for a while; {@return how many times it was
         * hurt}
         */
        int suffer(HostileScribbler scribbler) {
            int most = 50 + random.nextInt(4_000);
            int left = 20;
            int count = 0;
            for (; count < most && left > 0; count++) {
                if (random.nextInt(4) == 0) {
                    post();
                }
                scribbler.scribble();
                poll();
                if (party.pair.state() == QueuePairState.ERROR) {
                    left--;
                }
            }
            return count;
        }

        /** Works while the peer scribbles on its own thread, and goes on. */
        int sufferMeanwhile(HostileScribbler scribbler) throws InterruptedException {
            AtomicBoolean isOver = new AtomicBoolean();
            AtomicInteger count = new AtomicInteger();
            Thread scribbling =
                    Thread.ofPlatform()
                            .name("scribbler")
                            .start(() -> count.set(scribbleUntil(isOver, scribbler)));
            try {
                int most = 50 + random.nextInt(4_000);
                int left = 20;
                for (int i = 0; i < most && left > 0; i++) {
                    if (random.nextInt(4) == 0) {
                        post();
                    }
                    poll();
                    if (party.pair.state() == QueuePairState.ERROR) {
                        left--;
                    }
                }
            } finally {
                isOver.set(true);
                scribbling.join();
            }
            return count.get();
        }

        private int scribbleUntil(AtomicBoolean isOver, HostileScribbler scribbler) {
            Random pauses = new Random(next);
            int done = 0;
            for (; !isOver.get(); done++) {
                scribbler.scribble();
                // or no connection would live long enough to do anything
                for (int i = pauses.nextInt(200); i > 0; i--) {
                    Thread.onSpinWait();
                }
            }
            return done;
        }

        private void post() {
            int offset = random.nextInt(1_000) * 8;
            int length = new int[] {8, 64, 400, 2_000, 30_000}[random.nextInt(5)];
            long id = next++;
            boolean isTaken =
                    switch (random.nextInt(8)) {
                        case 0 -> party.post(SendOpcode.SEND, id, offset, length, 0);
                        case 1 -> party.post(SendOpcode.RDMA_WRITE, id, offset, length, 0);
                        case 2 -> party.post(SendOpcode.RDMA_READ, id, offset, length, 0);
                        case 3 -> party.postAdd(id, offset, 0);
                        case 4 -> party.postSwap(id, offset, 0, 0, 1);
                        default -> party.postReceive(id, offset, Math.max(length, 400));
                    };
            if (isTaken) {
                outstanding.add(id);
            }
        }

        private void poll() {
            while (party.poll()) {
                WorkCompletionStatus status = party.cursor.status();
                assertThat(LEGAL).as(name).contains(status);
                assertThat(outstanding.remove(party.cursor.id()))
                        .as("completion of %s, %s", party.cursor.id(), name)
                        .isTrue();
                statuses.merge(status, 1, Integer::sum);
            }
        }

        /** All remaining requests must be flushed. */
        void end() {
            party.pair.modify(QueuePairAttributes.to(QueuePairState.ERROR));
            long limitNs = System.nanoTime() + LIMIT_NS;
            while (!outstanding.isEmpty()) {
                poll();
                assertThat(System.nanoTime() - limitNs)
                        .as("outstanding %s, %s", outstanding, name)
                        .isNegative();
            }
            assertThat(party.poll()).as(name).isFalse();
        }
    }
}
