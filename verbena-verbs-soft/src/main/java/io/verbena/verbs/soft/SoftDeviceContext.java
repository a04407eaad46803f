// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import io.verbena.verbs.AsyncEvent;
import io.verbena.verbs.CompletionChannel;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.Device;
import io.verbena.verbs.DeviceAttributes;
import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.EventChannel;
import io.verbena.verbs.Gid;
import io.verbena.verbs.GidEntry;
import io.verbena.verbs.PathMtu;
import io.verbena.verbs.PortAttributes;
import io.verbena.verbs.PortState;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.soft.cm.ConnectionManager;
import io.verbena.verbs.spi.Children;
import io.verbena.verbs.spi.EventQueue;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** An open handle of the software device. */
final class SoftDeviceContext implements DeviceContext {
    private final Device face;
    private final SoftDevice device;
    private final ConnectionManager manager;
    private final Children eventChannels = new Children();
    private final Children domains = new Children();
    private final Children queues = new Children();
    private final Children channels = new Children();
    private final EventQueue<AsyncEvent> events = new EventQueue<>("device context");

    SoftDeviceContext(Device face, SoftDevice device) {
        this.face = face;
        this.device = device;
        this.manager = new ConnectionManager(this, device.directory().path());
    }

    SoftDevice softDevice() {
        return device;
    }

    @Override
    public Device device() {
        return face;
    }

    @Override
    public DeviceAttributes queryDevice() {
        checkOpen();
        return new DeviceAttributes(
                "0.1",
                device.guid(),
                device.guid(),
                0,
                0,
                1,
                1,
                1,
                Long.MAX_VALUE,
                SoftLimits.MAX_MEMORY_REGIONS,
                SoftLimits.MAX_QUEUE_PAIRS,
                SoftLimits.MAX_WORK_REQUESTS,
                SoftLimits.MAX_ELEMENTS,
                ControlLayout.MAX_AREAS,
                SoftLimits.MAX_COMPLETIONS,
                SoftLimits.MAX_PROTECTION_DOMAINS,
                SoftLimits.MAX_READ_ATOMIC,
                SoftLimits.MAX_READ_ATOMIC,
                SoftLimits.MAX_INLINE,
                true);
    }

    @Override
    public PortAttributes queryPort(int port) {
        checkPort(port);
        return new PortAttributes(
                PortState.ACTIVE,
                PathMtu.MTU_4096,
                PathMtu.MTU_4096,
                0,
                1,
                SoftLimits.MAX_MESSAGE,
                "Memory");
    }

    @Override
    public List<GidEntry> queryGids(int port) {
        checkPort(port);
        return List.of(new GidEntry(0, new Gid(device.namespace(), device.guid()), "Memory"));
    }

    private void checkPort(int port) {
        checkOpen();
        QueuePairSettings.range("ibv_query_port", "port", port, 1, 1);
    }

    @Override
    public ProtectionDomain allocateProtectionDomain() {
        checkOpen();
        return domains.add(new SoftProtectionDomain(this));
    }

    @Override
    public CompletionChannel createCompletionChannel() {
        checkOpen();
        return channels.add(new SoftCompletionChannel(this));
    }

    @Override
    public CompletionQueue createCompletionQueue(int depth) {
        return createQueue(depth, null);
    }

    @Override
    public CompletionQueue createCompletionQueue(int depth, CompletionChannel channel, int vector) {
        checkOpen();
        QueuePairSettings.range("ibv_create_cq", "vector", vector, 0, 0);
        if (!(channel instanceof SoftCompletionChannel own) || !own.isOf(this)) {
            throw new IllegalArgumentException(
                    "channel: of another context or closed (expected: an open one of this context)");
        }
        SoftCompletionQueue queue = createQueue(depth, own);
        own.adopt(queue);
        return queue;
    }

    private SoftCompletionQueue createQueue(int depth, SoftCompletionChannel channel) {
        checkOpen();
        QueuePairSettings.range("ibv_create_cq", "depth", depth, 1, SoftLimits.MAX_COMPLETIONS);
        return queues.add(device.createCompletionQueue(this, depth, channel));
    }

    @Override
    public EventChannel createEventChannel() {
        checkOpen();
        return eventChannels.add(manager.createEventChannel(eventChannels::remove));
    }

    @Override
    public Optional<AsyncEvent> awaitAsyncEvent(Duration timeout) throws InterruptedException {
        return events.take(TimeUnit.NANOSECONDS.convert(timeout));
    }

    void report(AsyncEvent event) {
        events.add(event);
    }

    void forget(SoftProtectionDomain domain) {
        domains.remove(domain);
    }

    void forget(SoftCompletionQueue queue) {
        queues.remove(queue);
    }

    void forget(SoftCompletionChannel channel) {
        channels.remove(channel);
    }

    void checkOwn(String name, CompletionQueue queue) {
        if (!(queue instanceof SoftCompletionQueue own) || !own.isOf(this)) {
            throw new IllegalArgumentException(
                    name + ": of another context (expected: one of the domain's context)");
        }
    }

    @Override
    public void close() {
        if (events.isClosed()) {
            return;
        }
        events.close();
        // objects before those they use
        Children.closeAll(eventChannels, domains, queues, channels);
    }

    private void checkOpen() {
        if (events.isClosed()) {
            throw new IllegalStateException("device context is closed");
        }
    }
}
