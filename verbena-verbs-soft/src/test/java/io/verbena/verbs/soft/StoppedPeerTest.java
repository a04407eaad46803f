// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.testing.ChildJvm;
import io.verbena.testing.Signals;
import io.verbena.verbs.AccessFlag;
import io.verbena.verbs.SendOpcode;
import io.verbena.verbs.WorkCompletionStatus;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A peer that is stopped, and so reads nothing, delays nobody, and goes on when it continues. */
@Timeout(60)
class StoppedPeerTest {
    /** Far more than a socket's buffer takes. */
    private static final int REGIONS = 3_000;

    private static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(20);

    @Test
    void shouldCloseRegionsWhileThePeerReadsNothing() throws Exception {
        try (Party party = new Party("soft0", 4096, true, 16);
                ChildJvm child = ChildJvm.start(Receiver.class)) {
            String address = child.line();
            party.toInit();
            party.connect(address);
            child.tell(party.address());
            assertThat(child.line()).isEqualTo("connected");
            exchange(party);
            Signals.stop(child.pid());

            for (int i = 0; i < REGIONS; i++) {
                party.domain.allocate(4096, AccessFlag.LOCAL_WRITE).close();
            }

            Signals.resume(child.pid());
            exchange(party);
            child.tell("end");
            child.finish();
        }
    }

    private static void exchange(Party party) {
        assertThat(party.post(SendOpcode.SEND, 1, 0, 8, 0)).isTrue();
        long limitNs = System.nanoTime() + LIMIT_NS;
        while (!party.poll()) {
            assertThat(System.nanoTime() - limitNs).isNegative();
        }
        assertThat(party.cursor.status()).isEqualTo(WorkCompletionStatus.SUCCESS);
    }

    /** The other process; its device answers on its own. */
    static final class Receiver {
        private Receiver() {}

        public static void main(String[] arguments) throws IOException {
            try (Party party = new Party("soft0", 4096, true, 16)) {
                BufferedReader input =
                        new BufferedReader(
                                new InputStreamReader(System.in, StandardCharsets.UTF_8));
                System.out.println(party.address());
                String address = input.readLine();
                party.toInit();
                for (int i = 0; i < 8; i++) {
                    party.postReceive(i, 0, 64);
                }
                party.connect(address);
                System.out.println("connected");
                input.readLine();
            }
        }
    }
}
