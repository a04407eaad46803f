// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class BackgroundTest {
    private static final List<Throwable> THROWABLES =
            List.of(
                    new IllegalStateException("injected"),
                    new AssertionError("injected"),
                    new OutOfMemoryError("injected"),
                    new StackOverflowError("injected"),
                    new NoClassDefFoundError("injected"),
                    new IOException("injected, and declared nowhere"));

    @Test
    void shouldGoOnWhateverATaskThrows() throws InterruptedException {
        try (Party party = new Party("soft0", 4096, true, 16)) {
            Background background = ((SoftProtectionDomain) party.domain).device().background();
            for (Throwable throwable : THROWABLES) {
                CountDownLatch next = new CountDownLatch(1);
                background.submit(() -> BackgroundTest.<RuntimeException>sneak(throwable));
                background.submit(next::countDown);

                assertThat(next.await(10, TimeUnit.SECONDS)).as("after %s", throwable).isTrue();
            }
        }
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // as other languages do it
    private static <T extends Throwable> void sneak(Throwable throwable) throws T {
        throw (T) throwable;
    }
}
