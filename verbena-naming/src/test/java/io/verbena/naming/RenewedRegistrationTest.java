// SPDX-License-Identifier: Apache-2.0
package io.verbena.naming;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.testing.Eventually;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class RenewedRegistrationTest {
    /** Keeps what it was told; fails if a test wants that. */
    private static final class Recorder implements RenewedRegistration.Announcement {
        final List<String> told = new CopyOnWriteArrayList<>();
        volatile boolean isDown;
        volatile boolean isForgotten;
        final AtomicInteger interrupts = new AtomicInteger();

        private void tell(String what) throws IOException {
            told.add(what);
            if (isDown) {
                throw new IOException("down");
            }
        }

        @Override
        public void announce() throws IOException {
            tell("announce");
            isForgotten = false;
        }

        @Override
        public void renew() throws IOException {
            tell("renew");
            if (isForgotten) {
                throw new IOException("unknown");
            }
        }

        @Override
        public void withdraw() throws IOException, InterruptedException {
            tell("withdraw");
            if (interrupts.getAndDecrement() > 0) {
                throw new InterruptedException("close");
            }
        }

        @Override
        public void close() {
            told.add("close");
        }
    }

    private final Recorder recorder = new Recorder();

    private RenewedRegistration start(Duration interval) {
        return RenewedRegistration.start("test", interval, recorder);
    }

    @Test
    void shouldAnnounceRenewAndWithdraw() {
        RenewedRegistration registration = start(Duration.ofMillis(1));
        assertThat(registration.isListed()).isTrue();
        Eventually.become(() -> recorder.told.contains("renew"), () -> recorder.told);

        registration.close();
        registration.close();

        assertThat(registration.isListed()).isFalse();
        assertThat(recorder.told).startsWith("announce").endsWith("withdraw", "close");
        assertThat(recorder.told.subList(1, recorder.told.size() - 2)).containsOnly("renew");
    }

    @Test
    void shouldAnnounceAgainWhatWasForgotten() {
        try (RenewedRegistration registration = start(Duration.ofMillis(1))) {
            recorder.isForgotten = true;

            Eventually.become(
                    () -> !recorder.isForgotten && registration.isListed(), () -> recorder.told);
        }
        assertThat(recorder.told)
                .containsOnlyOnce("withdraw")
                .filteredOn("announce"::equals)
                .hasSize(2);
    }

    @Test
    void shouldGoOnTryingWhileTheRegistryIsDown() {
        recorder.isDown = true;
        try (RenewedRegistration registration = start(Duration.ofHours(1))) {
            Eventually.become(() -> recorder.told.size() > 1, () -> recorder.told);
            assertThat(registration.isListed()).isFalse();

            recorder.isDown = false;

            Eventually.become(registration::isListed, () -> recorder.told);
        }
    }

    @Test
    void shouldCloseAlthoughTheRegistryIsDown() {
        RenewedRegistration registration = start(Duration.ofHours(1));
        recorder.isDown = true;

        registration.close();

        assertThat(recorder.told)
                .startsWith("announce", "withdraw", "withdraw")
                .endsWith("withdraw", "close");
    }

    /** The interrupt that ends the pause may come when the pause is over. */
    @Test
    void shouldWithdrawAgainIfThatWasInterrupted() {
        recorder.interrupts.set(1);
        RenewedRegistration registration = start(Duration.ofHours(1));

        registration.close();

        assertThat(recorder.told).containsExactly("announce", "withdraw", "withdraw", "close");
    }
}
