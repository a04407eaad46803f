// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.ibv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class GateTest {
    private static final int ROUNDS = 2_000;

    private final Gate gate = new Gate("the thing");

    @Test
    void shouldRefuseWhenClosed() {
        gate.enter();
        gate.leave();
        gate.close(() -> {});

        assertThat(gate.isClosed()).isTrue();
        assertThatThrownBy(gate::enter)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("the thing is closed");
        assertThatThrownBy(gate::checkOpen).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void shouldFreeOnce() {
        AtomicInteger freed = new AtomicInteger();

        gate.close(freed::incrementAndGet);
        gate.close(freed::incrementAndGet);

        assertThat(freed).hasValue(1);
    }

    @Test
    void shouldStayClosedIfFreeingFails() {
        assertThatThrownBy(
                        () ->
                                gate.close(
                                        () -> {
                                            throw new IllegalArgumentException("no");
                                        }))
                .isInstanceOf(IllegalArgumentException.class);

        assertThatThrownBy(gate::enter).isInstanceOf(IllegalStateException.class);
        gate.close(() -> {});
    }

    @Test
    void shouldLetTheCloserWaitForWhoIsInside() throws InterruptedException {
        CountDownLatch started = new CountDownLatch(1);
        AtomicBoolean freed = new AtomicBoolean();
        gate.enter();
        Thread closer =
                Thread.ofPlatform()
                        .name("closer")
                        .start(
                                () -> {
                                    started.countDown();
                                    gate.close(() -> freed.set(true));
                                });
        started.await();
        while (!gate.isClosed()) {
            Thread.onSpinWait();
        }

        assertThat(freed).isFalse();
        assertThatThrownBy(gate::enter).isInstanceOf(IllegalStateException.class);
        gate.leave();

        closer.join();
        assertThat(freed).isTrue();
    }

    /** A caller that is inside sees the object alive, whatever the closer does. */
    @Test
    void shouldNeverFreeUnderACaller() throws InterruptedException {
        for (int round = 0; round < ROUNDS; round++) {
            Gate raced = new Gate("raced");
            AtomicBoolean alive = new AtomicBoolean(true);
            AtomicReference<String> fault = new AtomicReference<>("");
            Thread[] users = {use(raced, alive, fault), use(raced, alive, fault)};

            raced.close(() -> alive.set(false));

            for (Thread user : users) {
                user.join();
            }
            assertThat(fault.get()).isEmpty();
        }
    }

    private static Thread use(Gate raced, AtomicBoolean alive, AtomicReference<String> fault) {
        return Thread.ofPlatform()
                .name("user")
                .start(
                        () -> {
                            while (true) {
                                try {
                                    raced.enter();
                                } catch (IllegalStateException e) {
                                    return;
                                }
                                if (!alive.get()) {
                                    fault.set("freed while inside");
                                }
                                raced.leave();
                            }
                        });
    }
}
