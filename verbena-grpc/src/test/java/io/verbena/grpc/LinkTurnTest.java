// SPDX-License-Identifier: Apache-2.0
package io.verbena.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class LinkTurnTest {
    private final List<String> ran = new ArrayList<>();
    private final AtomicBoolean isBroken = new AtomicBoolean(true);
    private final LinkTurn turn =
            new LinkTurn(
                    () -> {
                        ran.add("end");
                        fail();
                    });

    private void fail() {
        if (isBroken.get()) {
            throw new AssertionError("as told");
        }
    }

    @Test
    void shouldBeGivenBackByATaskThatThrows() {
        turn.run(
                () -> {
                    turn.run(() -> ran.add("second"));
                    ran.add("first");
                    fail();
                });
        isBroken.set(false);
        turn.run(() -> ran.add("third"));

        assertThat(ran).startsWith("first", "second", "end").endsWith("third", "end");
    }
}
