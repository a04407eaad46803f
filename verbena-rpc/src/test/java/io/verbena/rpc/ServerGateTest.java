// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ServerGateTest {
    private final ServerGate gate = new ServerGate();

    private Thread waiter() {
        return Thread.ofVirtual()
                .name("waiter")
                .start(
                        () -> {
                            try {
                                gate.awaitDone();
                            } catch (InterruptedException e) {
                                Thread.currentThread().interrupt();
                            }
                        });
    }

    @Test
    void shouldBeDoneAtOnceIfNothingIsInside() throws Exception {
        gate.shut();

        gate.awaitDone();
        assertThat(gate.isShut()).isTrue();
    }

    @Test
    void shouldCountCallsAndAnswersApart() {
        assertThat(gate.enter()).isEqualTo(1);
        assertThat(gate.enter()).isEqualTo(2);
        assertThat(gate.tryHold()).isTrue();
        gate.leaveUnsent();

        assertThat(gate.calls()).isEqualTo(1);
        assertThat(gate.enter()).isEqualTo(2);
    }

    @Test
    void shouldWaitForCallsAndAnswersAndRefuseOthers() throws Exception {
        gate.enter();
        gate.enter();
        gate.shut();
        Thread waiter = waiter();

        assertThat(gate.enter()).isEqualTo(ServerGate.REFUSED);
        assertThat(gate.tryHold()).isFalse();
        gate.leave();
        gate.leaveUnsent();
        assertThat(gate.calls()).isZero();
        assertThat(gate.tryHold()).isFalse();
        assertThat(waiter.isAlive()).isTrue();
        gate.sent();

        waiter.join();
    }

    /**
     * Everything admitted must have left when the wait ends, whatever arrives and is refused
     * meanwhile.
     */
    @Test
    void shouldNeverBeDoneTooEarlyOrNever() throws Exception {
        for (int round = 0; round < 300; round++) {
            ServerGate raced = new ServerGate();
            AtomicInteger inside = new AtomicInteger();
            List<Thread> callers = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                callers.add(
                        Thread.ofPlatform().name("caller-" + i).start(() -> call(raced, inside)));
            }
            while (inside.get() == 0) {
                Thread.onSpinWait();
            }
            raced.shut();
            raced.awaitDone();

            assertThat(inside.get()).as("round %d", round).isZero();
            for (Thread caller : callers) {
                caller.join();
            }
        }
    }

    /** Goes in and out until it is refused, and once more. */
    private static void call(ServerGate raced, AtomicInteger inside) {
        int refusals = 0;
        while (refusals < 2) {
            // counted before: what was refused gives it back
            if (raced.enter() == ServerGate.REFUSED) {
                refusals++;
                continue;
            }
            inside.incrementAndGet();
            raced.leaveUnsent();
            inside.decrementAndGet();
            raced.sent();
        }
    }
}
