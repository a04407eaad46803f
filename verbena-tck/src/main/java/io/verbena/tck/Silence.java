// SPDX-License-Identifier: Apache-2.0
package io.verbena.tck;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/** Asserts that something does not happen, by checking repeatedly for a while. */
final class Silence {
    /** Long enough for a message to arrive, short enough to be used in many tests. */
    static final Duration SHORT = Duration.ofMillis(100);

    private Silence() {}

    /** Looks at both queues of an endpoint. */
    static void ofCompletions(Endpoint endpoint, Duration length) {
        of("completion of " + endpoint, length, endpoint::poll);
    }

    static void of(String what, Duration length, Supplier<? extends Optional<?>> look) {
        long start = System.nanoTime();
        for (int idle = 0; System.nanoTime() - start < length.toNanos(); idle++) {
            Optional<?> seen = look.get();
            assertThat(seen.isPresent()).as("%s: %s", what, seen).isFalse();
            Patience.pause(idle);
        }
    }
}
