// SPDX-License-Identifier: Apache-2.0
package io.verbena.memory.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class SparesTest {
    private final AtomicInteger made = new AtomicInteger();
    private final Spares<Spare> spares = new Spares<>(this::make);

    private record Spare(int place, AtomicBoolean isTaken) {}

    private Spare make(int place) {
        made.incrementAndGet();
        return new Spare(place, new AtomicBoolean());
    }

    @Test
    void shouldGiveOutAgainWhatWasGivenBack() {
        Spare first = spares.take();
        spares.giveBack(first.place());

        assertThat(spares.take()).isSameAs(first);
        assertThat(made).hasValue(1);
    }

    @Test
    void shouldKeepNoMoreThanItHasPlacesFor() {
        List<Spare> taken = new ArrayList<>();
        for (int i = 0; i < Long.SIZE + 1; i++) {
            taken.add(spares.take());
        }
        assertThat(taken).extracting(Spare::place).doesNotHaveDuplicates();
        assertThat(taken.getLast().place()).isEqualTo(Spares.NO_PLACE);

        taken.forEach(spare -> spares.giveBack(spare.place()));

        for (int i = 0; i < Long.SIZE; i++) {
            assertThat(taken).contains(spares.take());
        }
        assertThat(made).hasValue(Long.SIZE + 1);
    }

    @Test
    void shouldGiveEachToOneThreadAtATime() {
        List<CompletableFuture<Void>> threads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            threads.add(CompletableFuture.runAsync(this::takeAndGiveBack));
        }

        threads.forEach(CompletableFuture::join);
    }

    private void takeAndGiveBack() {
        for (int i = 0; i < 20_000; i++) {
            Spare spare = spares.take();
            assertThat(spare.isTaken().getAndSet(true)).isFalse();
            spare.isTaken().set(false);
            spares.giveBack(spare.place());
        }
    }
}
