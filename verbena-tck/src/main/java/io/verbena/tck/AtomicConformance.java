// SPDX-License-Identifier: Apache-2.0
package io.verbena.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.SendOpcode;
import io.verbena.verbs.SendWorkRequest;
import io.verbena.verbs.WorkCompletionOpcode;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** COMPARE_AND_SWAP and FETCH_AND_ADD. In no test does the target poll anything. */
public abstract class AtomicConformance extends ConformanceTest {
    private static final int THREADS = 8;
    private static final int ROUNDS = 10_000;
    private static final int WINDOW = 16;

    @ParameterizedTest
    @EnumSource
    void shouldSwapIfEqual(MemoryPlacement placement) {
        ConnectedPair pair = pairOf(placement);
        pair.target().memory(8, 8).set(ValueLayout.JAVA_LONG, 0, 0x0102030405060708L);

        compareAndSwap(pair, 8, 0x0102030405060708L, -2);

        pair.initiator()
                .awaitSend()
                .assertSuccess(WorkCompletionOpcode.COMPARE_AND_SWAP)
                .assertLength(8);
        assertThat(fetched(pair)).isEqualTo(0x0102030405060708L);
        assertThat(value(pair, 8)).isEqualTo(-2);
        assertThat(value(pair, 0)).isZero();
        assertThat(value(pair, 16)).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void shouldOnlyFetchIfNotEqual(MemoryPlacement placement) {
        ConnectedPair pair = pairOf(placement);
        pair.target().memory(8, 8).set(ValueLayout.JAVA_LONG, 0, 5);

        compareAndSwap(pair, 8, 6, 7);

        pair.initiator().awaitSend().assertSuccess(WorkCompletionOpcode.COMPARE_AND_SWAP);
        assertThat(fetched(pair)).isEqualTo(5);
        assertThat(value(pair, 8)).isEqualTo(5);
    }

    @ParameterizedTest
    @CsvSource({
        "0, 1, 1",
        "0, 0, 0",
        "-1, 1, 0",
        "9223372036854775807, 1, -9223372036854775808",
        "5, -7, -2",
        "4294967295, 1, 4294967296"
    })
    void shouldAddWithWrapAround(long before, long add, long after) {
        ConnectedPair pair = pairOf(MemoryPlacement.DEVICE_TO_DEVICE);
        pair.target().memory(8, 8).set(ValueLayout.JAVA_LONG, 0, before);

        fetchAndAdd(pair, 8, add);

        pair.initiator()
                .awaitSend()
                .assertSuccess(WorkCompletionOpcode.FETCH_AND_ADD)
                .assertLength(8);
        assertThat(fetched(pair)).isEqualTo(before);
        assertThat(value(pair, 8)).isEqualTo(after);
    }

    @ParameterizedTest
    @EnumSource
    void shouldAddInEveryKindOfMemory(MemoryPlacement placement) {
        ConnectedPair pair = pairOf(placement);

        for (int i = 0; i < 100; i++) {
            fetchAndAdd(pair, 8, 3);
            pair.initiator().awaitSend().assertSuccess(WorkCompletionOpcode.FETCH_AND_ADD);
            assertThat(fetched(pair)).isEqualTo(3L * i);
        }
    }

    @Test
    void shouldReachLastEightBytesOfRegion() {
        ConnectedPair pair = pairOf(MemoryPlacement.USER_TO_USER);
        long last = pair.target().region().length() - 8;

        fetchAndAdd(pair, last, 9);

        pair.initiator().awaitSend().assertSuccess(WorkCompletionOpcode.FETCH_AND_ADD);
        assertThat(value(pair, last)).isEqualTo(9);
    }

    @Test
    void shouldExecutePipelinedAtomicsInOrder() {
        ConnectedPair pair = pairOf(MemoryPlacement.DEVICE_TO_DEVICE);
        Endpoint initiator = pair.initiator();
        MemoryRegion remote = pair.target().region();

        for (int i = 0; i < WINDOW; i++) {
            SendWorkRequest request =
                    initiator.request(SendOpcode.COMPARE_AND_SWAP, i, 64 + i * 8L, 8);
            initiator.post(request.compareAndSwap(remote.address(), remote.rkey(), i, i + 1));
        }

        for (int i = 0; i < WINDOW; i++) {
            initiator.awaitSend().assertId(i).assertSuccess(WorkCompletionOpcode.COMPARE_AND_SWAP);
            assertThat(initiator.memory(64 + i * 8L, 8).get(ValueLayout.JAVA_LONG, 0)).isEqualTo(i);
        }
        assertThat(value(pair, 0)).isEqualTo(WINDOW);
    }

    @Test
    void shouldAddUpFromManyThreads() throws InterruptedException {
        List<ConnectedPair> pairs = fan(THREADS);
        MemoryRegion counter = pairs.getFirst().target().region();

        List<Task> tasks = new ArrayList<>();
        for (ConnectedPair pair : pairs) {
            tasks.add(() -> addManyTimes(pair.initiator(), counter, repetitions(ROUNDS)));
        }
        together(tasks);

        assertThat(counter.memory().get(ValueLayout.JAVA_LONG, 0))
                .isEqualTo((long) THREADS * repetitions(ROUNDS));
    }

    /** The values one queue pair fetches must grow: nobody subtracts. */
    private static void addManyTimes(Endpoint endpoint, MemoryRegion counter, int rounds) {
        SendWorkRequest request = endpoint.request(SendOpcode.FETCH_AND_ADD, 0);
        request.fetchAndAdd(counter.address(), counter.rkey(), 1);
        long last = -1;
        int posted = 0;
        for (int done = 0; done < rounds; done++) {
            for (; posted < rounds && posted - done < WINDOW; posted++) {
                int slot = posted % WINDOW;
                endpoint.post(request.id(posted).element(endpoint.region(), slot * 8L, 8));
            }
            endpoint.awaitSend().assertSuccess(WorkCompletionOpcode.FETCH_AND_ADD).assertId(done);
            long now = endpoint.region().memory().get(ValueLayout.JAVA_LONG, done % WINDOW * 8L);
            if (now <= last) {
                throw new AssertionError("fetched " + now + " after " + last);
            }
            last = now;
        }
    }

    @Test
    void shouldLetCompareAndSwapBuildCounter() throws InterruptedException {
        List<ConnectedPair> pairs = fan(2);
        MemoryRegion counter = pairs.getFirst().target().region();
        int rounds = repetitions(1000);

        together(
                List.of(
                        () -> incrementBySwap(pairs.get(0).initiator(), counter, rounds),
                        () -> incrementBySwap(pairs.get(1).initiator(), counter, rounds)));

        assertThat(counter.memory().get(ValueLayout.JAVA_LONG, 0)).isEqualTo(2L * rounds);
    }

    private static void incrementBySwap(Endpoint endpoint, MemoryRegion counter, int rounds) {
        SendWorkRequest request = endpoint.request(SendOpcode.COMPARE_AND_SWAP, 0, 0, 8);
        long guess = 0;
        for (int done = 0; done < rounds; ) {
            request.compareAndSwap(counter.address(), counter.rkey(), guess, guess + 1);
            endpoint.post(request);
            endpoint.awaitSend().assertSuccess(WorkCompletionOpcode.COMPARE_AND_SWAP);
            long found = endpoint.region().memory().get(ValueLayout.JAVA_LONG, 0);
            if (found == guess) {
                done++;
                guess++;
            } else {
                guess = found;
            }
        }
    }

    /** Several queue pairs of one domain on each side; they share the first target's region. */
    private List<ConnectedPair> fan(int count) {
        List<ConnectedPair> pairs = new ArrayList<>();
        pairs.add(pairOf(MemoryPlacement.DEVICE_TO_DEVICE));
        Endpoint initiator = pairs.getFirst().initiator();
        Endpoint target = pairs.getFirst().target();
        for (int i = 1; i < count; i++) {
            pairs.add(
                    closing(
                            pair().initiator(side -> side.domain(initiator.domain()))
                                    .target(side -> side.domain(target.domain()))
                                    .connect()));
        }
        return pairs;
    }

    private ConnectedPair pairOf(MemoryPlacement placement) {
        ConnectedPair.Builder builder = pair();
        placement.applyTo(builder, 4096);
        ConnectedPair pair = closing(builder.connect());
        assumeAtomics(pair);
        return pair;
    }

    private static void compareAndSwap(ConnectedPair pair, long offset, long compare, long swap) {
        MemoryRegion remote = pair.target().region();
        pair.initiator()
                .post(
                        pair.initiator()
                                .request(SendOpcode.COMPARE_AND_SWAP, 1, 0, 8)
                                .compareAndSwap(
                                        remote.address() + offset, remote.rkey(), compare, swap));
    }

    private static void fetchAndAdd(ConnectedPair pair, long offset, long add) {
        MemoryRegion remote = pair.target().region();
        pair.initiator()
                .post(
                        pair.initiator()
                                .request(SendOpcode.FETCH_AND_ADD, 1, 0, 8)
                                .fetchAndAdd(remote.address() + offset, remote.rkey(), add));
    }

    private static long fetched(ConnectedPair pair) {
        return pair.initiator().memory(0, 8).get(ValueLayout.JAVA_LONG, 0);
    }

    private static long value(ConnectedPair pair, long offset) {
        return pair.target().memory(offset, 8).get(ValueLayout.JAVA_LONG, 0);
    }
}
