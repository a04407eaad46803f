// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.ibv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.verbs.AsyncEvent;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.Errno;
import io.verbena.verbs.VerbsException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Events of a device that fails, here without one: a kernel counter ({@code eventfd}) reports. */
@EnabledOnOs(OS.LINUX)
class AsyncEventsTest {
    private static final long SOON_NS = TimeUnit.SECONDS.toNanos(20);

    /** Has the events, and the failures, that the test gives it. */
    private static final class Played implements AsyncEvents.Source {
        final DescriptorWatcher watcher = new DescriptorWatcher();
        final Queue<AsyncEventType> waiting = new ArrayDeque<>();
        Optional<Error> fault = Optional.empty();
        Optional<VerbsException> end = Optional.empty();
        int acknowledged;
        private final int descriptor;

        Played() {
            try (NativeCall call = NativeCall.begin()) {
                // always readable
                descriptor = Libc.eventfd(call, 1, 0);
            }
        }

        @Override
        public void start(DescriptorWatcher.Handler handler) {
            watcher.handle(descriptor, handler);
        }

        @Override
        public synchronized boolean read(NativeCall call, MemorySegment event) {
            if (waiting.isEmpty()) {
                end.ifPresent(
                        failure -> {
                            throw failure;
                        });
                return false;
            }
            IbvLayout.ASYNC_EVENT_TYPE.set(event, waiting.remove().code());
            return true;
        }

        @Override
        public synchronized void acknowledge(MemorySegment event) {
            acknowledged++;
        }

        @Override
        public synchronized AsyncEventType type(MemorySegment event) {
            Optional<Error> raised = fault;
            fault = Optional.empty();
            raised.ifPresent(
                    error -> {
                        throw error;
                    });
            return AsyncEvents.Source.super.type(event);
        }

        synchronized int acknowledged() {
            return acknowledged;
        }

        void close() {
            watcher.close();
            try (NativeCall call = NativeCall.begin()) {
                assertThat(Libc.close(call, descriptor)).isZero();
            }
        }
    }

    private final Played device = new Played();
    private final AsyncEvents events = new AsyncEvents(device, "the device");

    @AfterEach
    void close() {
        device.close();
    }

    /** A thread that destroys the object of an event waits for the acknowledgement. */
    @Test
    void shouldAcknowledgeWhatItCannotTranslateAndGoOn() throws InterruptedException {
        device.waiting.add(AsyncEventType.PORT_ERROR);
        device.waiting.add(AsyncEventType.PORT_ACTIVE);
        device.fault = Optional.of(new OutOfMemoryError("thrown by the test"));

        Optional<AsyncEvent> event = events.await(SOON_NS);

        assertThat(event).map(AsyncEvent::type).contains(AsyncEventType.PORT_ACTIVE);
        device.watcher.close();
        assertThat(device.acknowledged()).isEqualTo(2);
    }

    @Test
    void shouldSayThatNoMoreEventsCanBeRead() {
        VerbsException cause =
                new VerbsException("ibv_get_async_event", Errno.EIO, "thrown by the test");
        device.end = Optional.of(cause);

        assertThatThrownBy(() -> events.await(SOON_NS))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("EIO")
                .hasCause(cause);
        // and again
        assertThatThrownBy(() -> events.await(0)).hasCause(cause);
    }

    @Test
    void shouldSayThatTheDeviceIsClosed() {
        events.start();
        events.close();

        assertThatThrownBy(() -> events.await(SOON_NS))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("the device is closed");
    }
}
