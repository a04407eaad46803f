// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft.cm;

import io.verbena.verbs.AccessFlag;
import io.verbena.verbs.AsyncEvent;
import io.verbena.verbs.CompletionChannel;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.Device;
import io.verbena.verbs.DeviceAttributes;
import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.EventChannel;
import io.verbena.verbs.Gid;
import io.verbena.verbs.GidEntry;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.PathMtu;
import io.verbena.verbs.PortAttributes;
import io.verbena.verbs.PortState;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.spi.QueuedEventChannel;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** A device without a data path: enough for the connection manager, which does not use one. */
final class RecordingContext implements DeviceContext {
    static final Gid GID = Gid.parse("fe80:0000:0000:0000:0102:0304:0506:0708");
    static final int MAX_READ_ATOMIC = 16;

    private final ConnectionManager manager;
    private final List<EventChannel> channels = new CopyOnWriteArrayList<>();
    private final AtomicInteger numbers = new AtomicInteger(17);

    RecordingContext(Path folder, CmTimeouts timeouts) {
        this.manager = new ConnectionManager(this, new CmFolder(folder), timeouts);
    }

    @Override
    public Device device() {
        return proxy(Device.class, "recording0");
    }

    @Override
    public DeviceAttributes queryDevice() {
        return new DeviceAttributes(
                "",
                0,
                0,
                0,
                0,
                0,
                1,
                1,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                MAX_READ_ATOMIC,
                MAX_READ_ATOMIC,
                0,
                true);
    }

    @Override
    public PortAttributes queryPort(int port) {
        return new PortAttributes(
                PortState.ACTIVE, PathMtu.MTU_4096, PathMtu.MTU_2048, 0, 1, 1 << 30, "Memory");
    }

    @Override
    public List<GidEntry> queryGids(int port) {
        return List.of(new GidEntry(0, GID, "Memory"));
    }

    @Override
    public ProtectionDomain allocateProtectionDomain() {
        return new Domain();
    }

    @Override
    public CompletionChannel createCompletionChannel() {
        return proxy(CompletionChannel.class, "");
    }

    @Override
    public CompletionQueue createCompletionQueue(int depth) {
        return proxy(CompletionQueue.class, "");
    }

    @Override
    public CompletionQueue createCompletionQueue(int depth, CompletionChannel channel, int vector) {
        return createCompletionQueue(depth);
    }

    @Override
    public EventChannel createEventChannel() {
        QueuedEventChannel channel = manager.createEventChannel(_ -> {});
        channels.add(channel);
        return channel;
    }

    @Override
    public Optional<AsyncEvent> awaitAsyncEvent(Duration timeout) {
        return Optional.empty();
    }

    @Override
    public void close() {
        channels.forEach(EventChannel::close);
    }

    private static <T> T proxy(Class<T> type, String name) {
        return type.cast(
                Proxy.newProxyInstance(
                        type.getClassLoader(),
                        new Class<?>[] {type},
                        (_, method, _) -> method.getReturnType() == String.class ? name : null));
    }

    private final class Domain implements ProtectionDomain {
        @Override
        public DeviceContext context() {
            return RecordingContext.this;
        }

        @Override
        public MemoryRegion register(MemorySegment memory, AccessFlag... access) {
            throw new UnsupportedOperationException("no data path");
        }

        @Override
        public MemoryRegion allocate(long length, AccessFlag... access) {
            throw new UnsupportedOperationException("no data path");
        }

        @Override
        public QueuePair createQueuePair(QueuePairOptions options) {
            return new RecordingQueuePair(numbers.getAndIncrement(), this, options);
        }

        @Override
        public void close() {}
    }
}
