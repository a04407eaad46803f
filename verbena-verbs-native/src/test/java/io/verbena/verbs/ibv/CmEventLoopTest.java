// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.ibv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.verbs.Device;
import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.Errno;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.spi.QueuedEventChannel;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/**
 * The thread of the connection manager when something fails, here without a device: a kernel
 * counter ({@code eventfd}) takes the place of librdmacm's descriptor.
 */
@EnabledOnOs(OS.LINUX)
class CmEventLoopTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final CmEventLoop loop = new CmEventLoop(null);
    private final CountDownLatch mayFail = new CountDownLatch(1);
    private int descriptor;

    @BeforeEach
    void open() {
        try (NativeCall call = NativeCall.begin()) {
            descriptor = Libc.eventfd(call, 0, 0);
        }
    }

    @AfterEach
    void close() {
        mayFail.countDown();
        try (NativeCall call = NativeCall.begin()) {
            assertThat(Libc.close(call, descriptor)).isZero();
        }
    }

    private Thread start(CmEventLoop.Source source, WatchedDescriptor watched) {
        return Thread.ofPlatform()
                .daemon()
                .name("cm-test")
                .start(() -> loop.handleUntilEnd(source, watched));
    }

    private static <T> T played(Class<T> type, String name) {
        return type.cast(
                Proxy.newProxyInstance(
                        type.getClassLoader(),
                        new Class<?>[] {type},
                        (_, method, _) ->
                                method.getReturnType() == Device.class
                                        ? played(Device.class, name)
                                        : name));
    }

    private QueuedEventChannel channel() {
        QueuedEventChannel made =
                new QueuedEventChannel(
                        played(DeviceContext.class, "a device"),
                        _ -> {
                            throw new AssertionError("no identifier is needed");
                        },
                        loop::forget);
        loop.add(made);
        return made;
    }

    @Test
    void shouldTakeEventsAfterAnError() throws Exception {
        CountDownLatch taken = new CountDownLatch(3);
        try (DescriptorWatcher watcher = new DescriptorWatcher();
                QueuedEventChannel channel = channel()) {
            WatchedDescriptor watched = watcher.watch(descriptor, "the connection manager");
            Thread thread =
                    start(
                            (_, _) -> {
                                taken.countDown();
                                if (taken.getCount() > 0) {
                                    throw new OutOfMemoryError("thrown by the test");
                                }
                                return Optional.empty();
                            },
                            watched);

            assertThat(taken.await(20, TimeUnit.SECONDS)).isTrue();

            assertThat(channel.awaitEvent(Duration.ZERO)).isEmpty();
            watched.close();
            assertThat(thread.join(PATIENCE)).as("the thread ends").isTrue();
        }
    }

    /** The descriptor is closed, so that it cannot be armed. */
    @Test
    void shouldGoOnWhenTheDescriptorCannotBeArmed() throws Exception {
        CountDownLatch taken = new CountDownLatch(3);
        try (DescriptorWatcher watcher = new DescriptorWatcher()) {
            int gone;
            try (NativeCall call = NativeCall.begin()) {
                gone = Libc.eventfd(call, 0, 0);
            }
            WatchedDescriptor watched = watcher.watch(gone, "the connection manager");
            try (NativeCall call = NativeCall.begin()) {
                assertThat(Libc.close(call, gone)).isZero();
            }
            Thread thread =
                    start(
                            (_, _) -> {
                                taken.countDown();
                                return Optional.empty();
                            },
                            watched);

            assertThat(taken.await(20, TimeUnit.SECONDS)).isTrue();

            assertThatThrownBy(watched::close).isInstanceOf(VerbsException.class);
            assertThat(thread.join(PATIENCE)).as("the thread ends").isTrue();
        }
    }

    @Test
    void shouldTellThoseWhoWaitWhenNothingCanBeWatchedAnyMore() throws Exception {
        try (DescriptorWatcher watcher = new DescriptorWatcher((_, _, _, _, _) -> fail());
                QueuedEventChannel channel = channel()) {
            WatchedDescriptor watched = watcher.watch(descriptor, "the connection manager");
            Thread thread = start((_, _) -> Optional.empty(), watched);
            mayFail.countDown();

            assertThatThrownBy(() -> channel.awaitEvent(PATIENCE))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("is closed");

            assertThat(thread.join(PATIENCE)).as("the thread ends").isTrue();
            try (QueuedEventChannel late = channel()) {
                assertThatThrownBy(() -> late.awaitEvent(PATIENCE))
                        .isInstanceOf(IllegalStateException.class);
            }
            assertThatThrownBy(loop::start)
                    .isInstanceOf(VerbsException.class)
                    .hasMessageContaining("the connection manager has failed");
        }
    }

    private int fail() {
        try {
            mayFail.await();
        } catch (InterruptedException e) {
            throw new AssertionError("an unexpected interrupt", e);
        }
        throw new VerbsException("epoll_wait", Errno.EIO, "thrown by the test");
    }
}
