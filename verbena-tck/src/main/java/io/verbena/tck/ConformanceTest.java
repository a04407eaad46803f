// SPDX-License-Identifier: Apache-2.0
package io.verbena.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.verbena.verbs.DeviceAttributes;
import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.Errno;
import io.verbena.verbs.VerbsException;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;

/**
 * The common base of all parts of the suite. A provider runs a part with a subclass that only says
 * where its devices come from.
 */
public abstract class ConformanceTest {
    private final Resources resources = new Resources();

    /** {@return the provider under test; a test may call this many times} */
    protected abstract VerbsFixture fixture();

    /** Closes what the test opened. */
    @AfterEach
    void closeResources() {
        resources.close();
    }

    /**
     * {@return the given resource, which is closed after the test, newest first}
     *
     * @param resource what to close
     * @param <T> its type
     */
    protected final <T extends AutoCloseable> T closing(T resource) {
        return resources.add(resource);
    }

    /** {@return a builder; pass the pair it makes to {@link #closing}} */
    protected final ConnectedPair.Builder pair() {
        return ConnectedPair.of(fixture());
    }

    /** {@return a connected pair with the default settings, closed after the test} */
    protected final ConnectedPair connect() {
        return closing(pair().connect());
    }

    /** {@return the limits of the initiator's device} */
    protected final DeviceAttributes device() {
        try (DeviceContext context = fixture().openInitiator()) {
            return context.queryDevice();
        }
    }

    /**
     * {@return whether the provider has a documented difference}
     *
     * @param quirk the difference
     */
    protected final boolean has(Quirk quirk) {
        return fixture().quirks().contains(quirk);
    }

    /**
     * {@return how many times to repeat something, fewer on a slow device}
     *
     * @param count how many times on a fast device
     */
    protected final int repetitions(int count) {
        return Math.max(1, count / fixture().slowness());
    }

    /**
     * Skips the test on a provider with a documented difference.
     *
     * @param quirk the difference
     */
    protected final void assumeNo(Quirk quirk) {
        Assumptions.assumeFalse(has(quirk), "the device has the quirk " + quirk);
    }

    /**
     * Skips the test if the device cannot do atomics.
     *
     * @param pair whose devices to ask
     */
    protected final void assumeAtomics(ConnectedPair pair) {
        Assumptions.assumeTrue(
                pair.initiator().context().queryDevice().atomics()
                        && pair.target().context().queryDevice().atomics(),
                "the device has no atomics");
    }

    /**
     * Asserts that a verb fails with EINVAL.
     *
     * @param action calls the verb
     */
    protected final void assertInvalid(ThrowingCallable action) {
        assertErrno(Errno.EINVAL, action);
    }

    /**
     * Asserts that a verb fails with an error number.
     *
     * @param errno the number
     * @param action calls the verb
     */
    protected final void assertErrno(int errno, ThrowingCallable action) {
        VerbsException failure = catchThrowableOfType(VerbsException.class, action);
        assertThat(failure).as("a VerbsException with " + Errno.name(errno)).isNotNull();
        assertThat(failure.errno()).as(failure.getMessage()).isEqualTo(errno);
    }

    /** A part of a test that runs in its own thread. */
    @FunctionalInterface
    protected interface Task {
        /**
         * Runs.
         *
         * @throws Exception if it fails; the test fails with it
         */
        void run() throws Exception;
    }

    /**
     * Runs tasks concurrently, each in its own thread, and fails with the first failure.
     *
     * @param tasks what to run; each must end on its own
     */
    protected final void together(List<Task> tasks) throws InterruptedException {
        List<Throwable> failures = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (Task task : tasks) {
            threads.add(
                    Thread.ofPlatform()
                            .name("tck-" + threads.size())
                            .daemon()
                            .start(() -> runInto(task, failures)));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        if (!failures.isEmpty()) {
            AssertionError error =
                    new AssertionError(
                            "a task failed: " + failures.getFirst(), failures.getFirst());
            failures.stream().skip(1).forEach(error::addSuppressed);
            throw error;
        }
    }

    private static void runInto(Task task, List<Throwable> failures) {
        try {
            task.run();
        } catch (Exception | Error e) {
            synchronized (failures) {
                failures.add(e);
            }
        }
    }
}
