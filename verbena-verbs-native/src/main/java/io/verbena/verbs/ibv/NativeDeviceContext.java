// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.ibv;

import io.verbena.verbs.AsyncEvent;
import io.verbena.verbs.CompletionChannel;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.Device;
import io.verbena.verbs.DeviceAttributes;
import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.Errno;
import io.verbena.verbs.EventChannel;
import io.verbena.verbs.GidEntry;
import io.verbena.verbs.PortAttributes;
import io.verbena.verbs.PortState;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.spi.Children;
import io.verbena.verbs.spi.QueuedEventChannel;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * An open device of the system; {@code ibv_context}.
 *
 * <p>Every library call that uses the context's address is made inside {@link #gate()}. Closing
 * first shuts the gate, then closes the context's objects, then the watcher, then the device.
 */
final class NativeDeviceContext implements DeviceContext {
    private final NativeDevice device;
    private final long address;
    private final IbvPointers pointers;
    private final DeviceLimits limits;
    private final Gate gate = new Gate("device context");
    private final DescriptorWatcher watcher = new DescriptorWatcher();
    private final AsyncEvents asyncEvents = new AsyncEvents(this);
    private final CmEventLoop connections;
    private final Children eventChannels = new Children();
    private final Children connectionManagers = new Children();
    private final Children domains = new Children();
    private final Children queues = new Children();
    private final Children channels = new Children();

    /**
     * Takes over an open device.
     *
     * @param address the address of the {@code ibv_context}
     */
    NativeDeviceContext(NativeDevice device, long address) {
        this.device = device;
        this.address = address;
        this.pointers = new IbvPointers(address);
        this.limits = DeviceLimits.of(address);
        this.connections = connectionManagers.add(new CmEventLoop(this));
    }

    /** {@return the address of the {@code ibv_context}; use it inside {@link #gate()}} */
    long address() {
        return address;
    }

    /** {@return the gate that keeps the context alive during a call} */
    Gate gate() {
        return gate;
    }

    /**
     * {@return the result of a call made inside the gate}
     *
     * @throws IllegalStateException if the context is closed
     */
    <T> T inside(Supplier<T> call) {
        gate.enter();
        try {
            return call.get();
        } finally {
            gate.leave();
        }
    }

    /** As {@link #inside(Supplier)}, without a result. */
    void inside(Runnable call) {
        gate.enter();
        try {
            call.run();
        } finally {
            gate.leave();
        }
    }

    /** {@return a descriptor of this context that threads can wait on} */
    WatchedDescriptor watch(int descriptor, String name) {
        return watcher.watch(descriptor, name);
    }

    /** As {@link DescriptorWatcher#handle}. */
    void handle(int descriptor, DescriptorWatcher.Handler handler) {
        watcher.handle(descriptor, handler);
    }

    IbvPointers pointers() {
        return pointers;
    }

    DeviceLimits limits() {
        return limits;
    }

    AsyncEvents asyncEvents() {
        return asyncEvents;
    }

    int asyncDescriptor() {
        return IbvLayout.CONTEXT_ASYNC_FD.getInt(IbvLayout.CONTEXT.at(address));
    }

    @Override
    public Device device() {
        return device;
    }

    @Override
    public DeviceAttributes queryDevice() {
        gate.checkOpen();
        return limits.attributes();
    }

    @Override
    public PortAttributes queryPort(int port) {
        limits.checkPort("ibv_query_port", port);
        return inside(
                () -> {
                    try (NativeCall call = NativeCall.begin()) {
                        return PortQuery.attributes(call, address, port);
                    }
                });
    }

    @Override
    public List<GidEntry> queryGids(int port) {
        limits.checkPort("ibv_query_gid_table", port);
        int ports = limits.attributes().ports();
        return inside(
                () -> {
                    try (NativeCall call = NativeCall.begin()) {
                        return PortQuery.gids(call, address, port, ports, device.name());
                    }
                });
    }

    /** What a queue pair sends on a port that is down would be lost. */
    void checkActive(NativeCall call, int port) {
        PortState state = PortQuery.attributes(call, address, port).state();
        if (state == PortState.DOWN) {
            throw new VerbsException(
                    "ibv_modify_qp",
                    Errno.ENETDOWN,
                    "port "
                            + port
                            + " of "
                            + device.name()
                            + " is DOWN (expected: ACTIVE); bring up its link, on Ethernet with ip"
                            + " link set INTERFACE up");
        }
    }

    @Override
    public ProtectionDomain allocateProtectionDomain() {
        return inside(() -> domains.add(NativeProtectionDomain.allocate(this)));
    }

    @Override
    public CompletionChannel createCompletionChannel() {
        return inside(() -> channels.add(NativeCompletionChannel.create(this)));
    }

    @Override
    public CompletionQueue createCompletionQueue(int depth) {
        return inside(() -> createQueue(depth, Optional.empty(), 0));
    }

    @Override
    public CompletionQueue createCompletionQueue(int depth, CompletionChannel channel, int vector) {
        return inside(
                () -> {
                    if (!(channel instanceof NativeCompletionChannel own) || !own.isOf(this)) {
                        throw new IllegalArgumentException(
                                "channel: of another context (expected: one of this context)");
                    }
                    return own.add(() -> createQueue(depth, Optional.of(own), vector));
                });
    }

    private NativeCompletionQueue createQueue(
            int depth, Optional<NativeCompletionChannel> channel, int vector) {
        limits.checkDepth(depth);
        limits.checkVector(vector);
        asyncEvents.start();
        return queues.add(NativeCompletionQueue.create(this, depth, channel, vector));
    }

    /** {@return the queue, if it was made from this context} */
    NativeCompletionQueue own(String name, CompletionQueue queue) {
        if (queue instanceof NativeCompletionQueue own && own.isOf(this)) {
            return own;
        }
        throw new IllegalArgumentException(
                name + ": of another context (expected: one of the domain's context)");
    }

    @Override
    public EventChannel createEventChannel() {
        return inside(
                () -> {
                    connections.start();
                    QueuedEventChannel made =
                            new QueuedEventChannel(
                                    this, connections::createIdentifier, this::forget);
                    connections.add(made);
                    return eventChannels.add(made);
                });
    }

    private void forget(QueuedEventChannel channel) {
        connections.forget(channel);
        eventChannels.remove(channel);
    }

    @Override
    public Optional<AsyncEvent> awaitAsyncEvent(Duration timeout) throws InterruptedException {
        return asyncEvents.await(TimeUnit.NANOSECONDS.convert(timeout));
    }

    void forget(NativeProtectionDomain domain) {
        domains.remove(domain);
    }

    void forget(NativeCompletionQueue queue) {
        queues.remove(queue);
    }

    void forget(NativeCompletionChannel channel) {
        channels.remove(channel);
    }

    @Override
    public void close() {
        gate.close(this::free);
    }

    private void free() {
        try {
            asyncEvents.close();
            // objects before those they use
            Children.closeAll(eventChannels, connectionManagers, domains, queues, channels);
        } finally {
            watcher.close();
            closeDevice();
        }
    }

    private void closeDevice() {
        try (NativeCall call = NativeCall.begin()) {
            if (Ibverbs.ibv_close_device(call, address) != 0) {
                throw call.failure("ibv_close_device", device.name());
            }
        }
    }

    @Override
    public String toString() {
        return "device context";
    }
}
