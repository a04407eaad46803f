// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import io.verbena.verbs.CompletionChannel;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.spi.Children;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** A completion channel of the software device: a queue of completion queues that had an event. */
final class SoftCompletionChannel implements CompletionChannel {
    private final SoftDeviceContext context;
    private final CompletionEvents events = new CompletionEvents();
    private final Children queues = new Children();

    SoftCompletionChannel(SoftDeviceContext context) {
        this.context = context;
    }

    @Override
    public CompletionQueue awaitEvent() throws InterruptedException {
        return events.take();
    }

    @Override
    public Optional<CompletionQueue> awaitEvent(Duration timeout) throws InterruptedException {
        return events.take(TimeUnit.NANOSECONDS.convert(timeout));
    }

    boolean isOf(SoftDeviceContext owner) {
        return context == owner && !events.isClosed();
    }

    void adopt(SoftCompletionQueue queue) {
        queues.add(queue);
    }

    void post(CompletionEvents.Place queue) {
        events.add(queue);
    }

    void forget(SoftCompletionQueue queue) {
        queues.remove(queue);
        events.remove(queue.events());
    }

    @Override
    public void close() {
        if (events.isClosed()) {
            return;
        }
        queues.closeAll();
        events.close();
        context.forget(this);
    }
}
