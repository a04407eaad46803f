// SPDX-License-Identifier: Apache-2.0

package io.verbena.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.testing.ChildJvm;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The first call of a program includes loading classes, opening the device and connecting. It must
 * not fail because all that takes long while the machine is busy.
 */
@Tag("quiet")
final class BusyMachineTest {
    private static final int BUSY_LOOPS = 4;
    private static final int RUNS = Integer.getInteger("verbena.first.calls", 2);

    private final AtomicBoolean isOver = new AtomicBoolean();

    @BeforeEach
    void keepBusy() {
        for (int i = 0; i < BUSY_LOOPS; i++) {
            Thread.ofPlatform().daemon().name("busy-loop-" + i).start(this::spin);
        }
    }

    private void spin() {
        while (!isOver.get()) {
            Thread.onSpinWait();
        }
    }

    @AfterEach
    void rest() {
        isOver.set(true);
    }

    @Test
    @Timeout(600)
    void shouldAnswerTheFirstCallBesideBusyLoops() throws InterruptedException {
        for (int run = 0; run < RUNS; run++) {
            // both compilers, as in the program of a user
            List<String> options = List.of("-XX:TieredStopAtLevel=4");
            try (ChildJvm program =
                    ChildJvm.start(Duration.ofSeconds(60), options, FirstCall.class)) {
                assertThat(program.line()).as("run %s", run).isEqualTo("Hello Verbena");
                assertThat(program.line()).as("run %s", run).isEqualTo("attached: 36 bytes");
                program.finish();
            }
        }
    }
}
