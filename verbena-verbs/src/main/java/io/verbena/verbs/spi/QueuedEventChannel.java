// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.spi;

import io.verbena.verbs.ConnectionEvent;
import io.verbena.verbs.ConnectionIdentifier;
import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.EventChannel;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * An event channel that keeps events in a queue until they are taken. Any thread may use it; a
 * waiting thread only parks.
 */
public final class QueuedEventChannel implements EventChannel {
    private final DeviceContext context;
    private final String name;
    private final Function<QueuedEventChannel, ReportingIdentifier> identifiers;
    private final EventQueue<OwnedEvent> queue;
    private final Consumer<QueuedEventChannel> onClosed;
    private final ReentrantLock membership = new ReentrantLock();
    private final Set<ReportingIdentifier> members = new HashSet<>();
    private boolean closed;

    /**
     * A channel.
     *
     * @param context the device
     * @param identifiers makes an identifier that reports to the channel
     * @param onClosed called once when the channel has been closed, with no lock held
     */
    public QueuedEventChannel(
            DeviceContext context,
            Function<QueuedEventChannel, ReportingIdentifier> identifiers,
            Consumer<QueuedEventChannel> onClosed) {
        this.context = context;
        this.name =
                "event channel "
                        + Integer.toHexString(System.identityHashCode(this))
                        + " of "
                        + context.device().name();
        this.identifiers = identifiers;
        this.queue = new EventQueue<>(name);
        this.onClosed = onClosed;
    }

    @Override
    public DeviceContext context() {
        return context;
    }

    @Override
    public ConnectionIdentifier createIdentifier() {
        checkOpen();
        ReportingIdentifier identifier = identifiers.apply(this);
        try {
            join(identifier);
        } catch (IllegalStateException e) {
            identifier.close();
            throw e;
        }
        return identifier;
    }

    @Override
    public ConnectionEvent awaitEvent() throws InterruptedException {
        return deliver(queue.take());
    }

    @Override
    public Optional<ConnectionEvent> awaitEvent(Duration timeout) throws InterruptedException {
        return queue.take(TimeUnit.NANOSECONDS.convert(timeout)).map(this::deliver);
    }

    /**
     * No more events will come: wakes those who wait, as {@link #close} does. The identifiers stay
     * until then.
     */
    public void fail() {
        queue.close();
    }

    @Override
    public void close() {
        List<ReportingIdentifier> orphans;
        membership.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            orphans = List.copyOf(members);
        } finally {
            membership.unlock();
        }
        queue.close();
        closeAll(orphans);
    }

    private void closeAll(List<ReportingIdentifier> orphans) {
        Optional<RuntimeException> failure = Optional.empty();
        for (ReportingIdentifier orphan : orphans) {
            try {
                orphan.closeWith(this);
            } catch (RuntimeException e) {
                failure.ifPresent(e::addSuppressed);
                failure = Optional.of(e);
            }
        }
        onClosed.accept(this);
        if (failure.isPresent()) {
            throw failure.get();
        }
    }

    @Override
    public String toString() {
        return name;
    }

    /** Adds an identifier to those that close with this channel. */
    void join(ReportingIdentifier identifier) {
        membership.lock();
        try {
            checkOpen();
            members.add(identifier);
        } finally {
            membership.unlock();
        }
    }

    /** Removes an identifier; {@return its pending events} */
    List<OwnedEvent> leave(ReportingIdentifier identifier) {
        membership.lock();
        try {
            members.remove(identifier);
        } finally {
            membership.unlock();
        }
        return queue.remove(waiting -> waiting.owner().equals(identifier));
    }

    void add(List<OwnedEvent> entries) {
        queue.add(entries);
    }

    private void checkOpen() {
        membership.lock();
        try {
            if (closed) {
                throw new IllegalStateException(name + " is closed");
            }
        } finally {
            membership.unlock();
        }
    }

    private ConnectionEvent deliver(OwnedEvent entry) {
        if (entry.event().listener().isPresent()) {
            // A request belongs to its listener until it is taken, then to the channel it was taken
            // from.
            entry.owner().requestTaken();
            ((ReportingIdentifier) entry.event().identifier()).adopt(this);
        }
        return entry.event();
    }
}
