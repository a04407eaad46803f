// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class EventQueueTest {
    private final EventQueue<String> queue = new EventQueue<>("queue 1");

    @Test
    void shouldGiveEventsInOrder() throws InterruptedException {
        queue.add(List.of("a1", "b2"));
        queue.add(List.of("a3"));

        assertThat(queue.take()).isEqualTo("a1");
        assertThat(queue.take(0)).contains("b2");
        assertThat(queue.take(-1)).contains("a3");
        assertThat(queue.take(1000)).isEmpty();
    }

    @Test
    void shouldRemoveSome() throws InterruptedException {
        queue.add(List.of("a1", "b2", "a3"));

        assertThat(queue.remove(event -> event.startsWith("a"))).containsExactly("a1", "a3");
        assertThat(queue.take()).isEqualTo("b2");
        assertThat(queue.take(0)).isEmpty();
    }

    @Test
    void shouldWakeWhoWaits() throws Exception {
        CompletableFuture<String> taken = takeElsewhere();

        queue.add(List.of("a"));

        assertThat(taken.get(10, TimeUnit.SECONDS)).isEqualTo("a");
    }

    @Test
    void shouldSayThatItIsClosed() {
        CompletableFuture<String> taken = takeElsewhere();

        queue.close();

        assertThatThrownBy(() -> taken.get(10, TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class)
                .hasRootCauseInstanceOf(IllegalStateException.class)
                .hasRootCauseMessage("queue 1 is closed");
        assertThatThrownBy(() -> queue.take(0)).hasMessage("queue 1 is closed");
        queue.add(List.of("a"));
        assertThat(queue.remove(_ -> true)).isEmpty();
    }

    @Test
    void shouldBeInterruptible() {
        Thread.currentThread().interrupt();

        assertThatThrownBy(queue::take).isInstanceOf(InterruptedException.class);
    }

    private CompletableFuture<String> takeElsewhere() {
        CompletableFuture<String> taken = new CompletableFuture<>();
        Thread.ofVirtual()
                .name("taker")
                .start(
                        () -> {
                            try {
                                taken.complete(queue.take());
                            } catch (InterruptedException | RuntimeException e) {
                                taken.completeExceptionally(e);
                            }
                        });
        return taken;
    }
}
