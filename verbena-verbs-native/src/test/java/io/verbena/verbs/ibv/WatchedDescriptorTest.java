// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.ibv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.verbs.Errno;
import io.verbena.verbs.VerbsException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Waiting on a descriptor, here a kernel counter ({@code eventfd}). */
@EnabledOnOs(OS.LINUX)
class WatchedDescriptorTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final int EFD_SEMAPHORE = 1;

    private final DescriptorWatcher watcher = new DescriptorWatcher();
    private int descriptor;
    private WatchedDescriptor watched;

    @BeforeEach
    void open() {
        try (NativeCall call = NativeCall.begin()) {
            // One read takes one.
            descriptor = Libc.eventfd(call, 0, EFD_SEMAPHORE);
        }
        watched = watcher.watch(descriptor, "the counter");
    }

    @AfterEach
    void close() {
        watcher.close();
        try (NativeCall call = NativeCall.begin()) {
            assertThat(Libc.close(call, descriptor)).isZero();
        }
    }

    @Test
    void shouldSayWhatIsReadableAlready() throws InterruptedException {
        put(1);

        assertThat(watched.awaitReadable(soon())).isTrue();
        assertThat(take()).isTrue();
        assertThat(take()).isFalse();
    }

    @Test
    void shouldEndAtTheDeadline() throws InterruptedException {
        long start = System.nanoTime();

        assertThat(watched.awaitReadable(WatchedDescriptor.deadline(30_000_000))).isFalse();

        assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(30_000_000);
        assertThat(watched.awaitReadable(WatchedDescriptor.deadline(0))).isFalse();
        assertThat(watched.awaitReadable(WatchedDescriptor.deadline(-5))).isFalse();
    }

    @Test
    void shouldReportAgainAfterAWaitThatGaveUp() throws InterruptedException {
        assertThat(watched.awaitReadable(WatchedDescriptor.deadline(1_000_000))).isFalse();

        put(1);

        assertThat(watched.awaitReadable(soon())).isTrue();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldWakeOnInterrupt(boolean virtual) throws InterruptedException {
        Waiting waiting = new Waiting(virtual);

        waiting.thread.interrupt();

        assertThat(waiting.outcome()).isInstanceOf(InterruptedException.class);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldWakeOnClose(boolean virtual) throws InterruptedException {
        Waiting waiting = new Waiting(virtual);

        watched.close();

        assertThat(waiting.outcome())
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("the counter is closed");
        watched.close();
        assertThatThrownBy(() -> watched.awaitReadable(soon()))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void shouldWakeWhenTheWatcherIsClosed() throws InterruptedException {
        Waiting waiting = new Waiting(true);

        watcher.close();

        assertThat(waiting.outcome()).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> watcher.watch(descriptor, "late"))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void shouldGoOnWhenAHandlerThrowsAnError() throws InterruptedException {
        int other;
        try (NativeCall call = NativeCall.begin()) {
            other = Libc.eventfd(call, 1, 0);
        }
        // again after the error: what there is to read is not lost
        CountDownLatch called = new CountDownLatch(2);
        watcher.handle(
                other,
                new DescriptorWatcher.Handler() {
                    @Override
                    public void onReadable() {
                        called.countDown();
                        throw new OutOfMemoryError("thrown by the test");
                    }

                    @Override
                    public void onFailure(VerbsException cause) {
                        throw new AssertionError("it has not failed for good", cause);
                    }
                });
        called.await();

        put(1);

        assertThat(watched.awaitReadable(soon())).isTrue();
        watcher.close();
        try (NativeCall call = NativeCall.begin()) {
            assertThat(Libc.close(call, other)).isZero();
        }
    }

    @Test
    void shouldCallAHandlerAgainUntilItThrowsNothing() throws InterruptedException {
        put(1);
        CountDownLatch called = new CountDownLatch(4);
        try (DescriptorWatcher other = new DescriptorWatcher()) {
            other.handle(
                    descriptor,
                    new DescriptorWatcher.Handler() {
                        @Override
                        public void onReadable() {
                            // the kernel has nothing more to report
                            take();
                            called.countDown();
                            if (called.getCount() > 0) {
                                throw new OutOfMemoryError("thrown by the test");
                            }
                        }

                        @Override
                        public void onFailure(VerbsException cause) {
                            throw new AssertionError("it has not failed for good", cause);
                        }
                    });

            assertThat(called.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        }
    }

    /** The kernel has reported already, and does so only once. */
    @Test
    void shouldWakeWaitersAlthoughTheLoopThrows() throws InterruptedException {
        AtomicInteger faults = new AtomicInteger(3);
        try (DescriptorWatcher faulty =
                new DescriptorWatcher(
                        (call, epoll, events, most, timeoutMs) -> {
                            int count = Libc.epoll_wait(call, epoll, events, most, timeoutMs);
                            if (faults.getAndDecrement() > 0) {
                                throw new OutOfMemoryError("thrown by the test");
                            }
                            return count;
                        })) {
            WatchedDescriptor first = faulty.watch(descriptor, "the counter");
            put(1);

            assertThat(first.awaitReadable(soon())).isTrue();
            first.close();

            // a new one is served, too
            try (WatchedDescriptor second = faulty.watch(descriptor, "the counter again")) {
                assertThat(second.awaitReadable(soon())).isTrue();
            }
        }
    }

    @Test
    void shouldSayThatNothingCanBeWatchedAfterAFailureForGood() throws InterruptedException {
        VerbsException cause = new VerbsException("epoll_wait", Errno.EIO, "thrown by the test");
        CountDownLatch told = new CountDownLatch(1);
        try (DescriptorWatcher broken =
                new DescriptorWatcher(
                        (_, _, _, _, _) -> {
                            await(told);
                            throw cause;
                        })) {
            WatchedDescriptor first = broken.watch(descriptor, "the counter");
            told.countDown();

            assertThatThrownBy(() -> first.awaitReadable(soon()))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("the counter is closed");
            assertThatThrownBy(() -> broken.watch(descriptor, "late"))
                    .isInstanceOf(VerbsException.class)
                    .hasCause(cause);
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError("an unexpected interrupt", e);
        }
    }

    @Test
    void shouldEndItsThreadAndDescriptors() throws Exception {
        long before = openDescriptors();
        for (int i = 0; i < 50; i++) {
            try (DescriptorWatcher other = new DescriptorWatcher()) {
                other.watch(descriptor, "again");
            }
        }

        assertThat(openDescriptors()).isEqualTo(before);
        assertThat(Thread.getAllStackTraces().keySet())
                .filteredOn(thread -> thread.getName().equals("verbena-ibv-events"))
                .hasSize(1);
    }

    /** Each of many events wakes a reader: a lost event would leave the readers waiting. */
    @Test
    void shouldLoseNoEvent() throws InterruptedException {
        int total = 20_000;
        AtomicInteger taken = new AtomicInteger();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Thread[] readers = new Thread[3];
        for (int i = 0; i < readers.length; i++) {
            Thread.Builder builder = i == 0 ? Thread.ofPlatform() : Thread.ofVirtual();
            readers[i] = builder.name("reader").start(() -> readUntil(total, taken, failure));
        }

        for (int i = 0; i < total; i++) {
            put(1);
            if (i % 7 == 0) {
                Thread.yield();
            }
        }

        for (Thread reader : readers) {
            assertThat(reader.join(PATIENCE)).as("taken " + taken + " of " + total).isTrue();
        }
        assertThat(failure.get()).isNull();
        assertThat(taken).hasValue(total);
    }

    private void readUntil(int total, AtomicInteger taken, AtomicReference<Throwable> failure) {
        try {
            while (taken.get() < total) {
                if (take()) {
                    if (taken.incrementAndGet() == total) {
                        // Lets the others find out.
                        watched.close();
                    }
                } else if (!watched.awaitReadable(soon())) {
                    throw new AssertionError("nothing came, " + taken + " taken");
                }
            }
        } catch (IllegalStateException e) {
            if (taken.get() != total) {
                failure.set(e);
            }
        } catch (InterruptedException | AssertionError e) {
            failure.set(e);
        }
    }

    /** A thread that waits on the descriptor. */
    private final class Waiting {
        private final AtomicReference<Throwable> failure = new AtomicReference<>();
        private final Thread thread;

        Waiting(boolean virtual) throws InterruptedException {
            CountDownLatch started = new CountDownLatch(1);
            Thread.Builder builder = virtual ? Thread.ofVirtual() : Thread.ofPlatform();
            thread =
                    builder.name("waiter")
                            .start(
                                    () -> {
                                        started.countDown();
                                        try {
                                            watched.awaitReadable(WatchedDescriptor.FOR_EVER);
                                        } catch (InterruptedException | IllegalStateException e) {
                                            failure.set(e);
                                        }
                                    });
            started.await();
            while (thread.getState() == Thread.State.RUNNABLE
                    || thread.getState() == Thread.State.NEW) {
                Thread.onSpinWait();
            }
        }

        Throwable outcome() throws InterruptedException {
            assertThat(thread.join(PATIENCE)).as("the waiter woke").isTrue();
            return failure.get();
        }
    }

    private static long soon() {
        return WatchedDescriptor.deadline(PATIENCE.toNanos());
    }

    private void put(long count) {
        try (NativeCall call = NativeCall.begin()) {
            MemorySegment word = call.allocateWord();
            word.set(ValueLayout.JAVA_LONG, 0, count);
            assertThat(Libc.write(call, descriptor, word.address(), Long.BYTES)).isEqualTo(8);
        }
    }

    private boolean take() {
        try (NativeCall call = NativeCall.begin()) {
            MemorySegment word = call.allocateWord();
            return Libc.read(call, descriptor, word.address(), Long.BYTES) == Long.BYTES;
        }
    }

    private static long openDescriptors() throws Exception {
        try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
            return files.count();
        }
    }
}
