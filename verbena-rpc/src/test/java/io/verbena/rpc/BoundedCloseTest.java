// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class BoundedCloseTest {
    private static final Duration LIMIT = Duration.ofSeconds(20);

    private final AtomicInteger closed = new AtomicInteger();

    /** A thread that cannot be started. */
    private static final class Stillborn extends Thread {
        Stillborn(Runnable task) {
            super(task, "bounded-close-test");
        }

        @Override
        public void start() {
            throw new OutOfMemoryError("unable to create native thread");
        }
    }

    @Test
    void shouldCloseHereIfNoThreadCanBeStarted() {
        BoundedClose.run(Stillborn::new, closed::incrementAndGet, LIMIT);

        assertThat(closed).hasValue(1);
    }

    @Test
    void shouldThrowWhatTheCloseThrowsWithoutAThread() {
        Runnable faulty =
                () -> {
                    throw new IllegalStateException("as told");
                };

        assertThatThrownBy(() -> BoundedClose.run(Stillborn::new, faulty, LIMIT))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("as told");
    }
}
