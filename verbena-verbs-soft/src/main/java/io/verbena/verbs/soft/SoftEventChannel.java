// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

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

/** Where connection identifiers of the software device report; any thread may use it. */
final class SoftEventChannel implements EventChannel {
    private final CmEnvironment environment;
    private final String name;
    private final EventQueue<OwnedEvent> queue;
    private final Runnable onClosed;
    private final ReentrantLock membership = new ReentrantLock();
    private final Set<SoftConnectionIdentifier> members = new HashSet<>();
    private boolean closed;

    /**
     * A channel that nobody needs to forget.
     *
     * @param context the device
     * @param directory where the listening sockets are
     */
    SoftEventChannel(DeviceContext context, SoftDirectory directory) {
        this(context, directory, () -> {});
    }

    /**
     * A channel.
     *
     * @param context the device
     * @param directory where the listening sockets are
     * @param onClosed called once when the channel has been closed, with no lock held
     */
    SoftEventChannel(DeviceContext context, SoftDirectory directory, Runnable onClosed) {
        this(new CmEnvironment(context, directory, CmTimeouts.DEFAULT), onClosed);
    }

    SoftEventChannel(CmEnvironment environment, Runnable onClosed) {
        this.environment = environment;
        this.name =
                "event channel "
                        + Integer.toHexString(System.identityHashCode(this))
                        + " of "
                        + environment.context().device().name();
        this.queue = new EventQueue<>(name);
        this.onClosed = onClosed;
    }

    @Override
    public DeviceContext context() {
        return environment.context();
    }

    @Override
    public ConnectionIdentifier createIdentifier() {
        SoftConnectionIdentifier identifier =
                new SoftConnectionIdentifier(environment, ConnectionState.IDLE, Optional.of(this));
        join(identifier);
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

    @Override
    public void close() {
        List<SoftConnectionIdentifier> orphans;
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

    private void closeAll(List<SoftConnectionIdentifier> orphans) {
        Optional<RuntimeException> failure = Optional.empty();
        for (SoftConnectionIdentifier orphan : orphans) {
            try {
                orphan.closeWith(this);
            } catch (RuntimeException e) {
                failure.ifPresent(e::addSuppressed);
                failure = Optional.of(e);
            }
        }
        onClosed.run();
        if (failure.isPresent()) {
            throw failure.get();
        }
    }

    @Override
    public String toString() {
        return name;
    }

    /** Makes an identifier one of those that close with this channel. */
    void join(SoftConnectionIdentifier identifier) {
        membership.lock();
        try {
            if (closed) {
                throw new IllegalStateException(name + " is closed");
            }
            members.add(identifier);
        } finally {
            membership.unlock();
        }
    }

    /** {@return the events the identifier had waiting; it is no longer a member} */
    List<OwnedEvent> leave(SoftConnectionIdentifier identifier) {
        membership.lock();
        try {
            members.remove(identifier);
        } finally {
            membership.unlock();
        }
        return queue.remove(waiting -> waiting.owner() == identifier);
    }

    void add(List<OwnedEvent> entries) {
        queue.add(entries);
    }

    private ConnectionEvent deliver(OwnedEvent entry) {
        if (entry.event().listener().isPresent()) {
            // A request belongs to its listener until it is taken, to the taker's channel after.
            entry.owner().requestTaken();
            ((SoftConnectionIdentifier) entry.event().identifier()).adopt(this);
        }
        return entry.event();
    }
}
