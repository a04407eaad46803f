// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.spi;

import io.verbena.verbs.ConnectionEvent;
import io.verbena.verbs.ConnectionEventType;
import io.verbena.verbs.ConnectionParameters;
import io.verbena.verbs.Errno;
import io.verbena.verbs.EventChannel;
import io.verbena.verbs.VerbsException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The state of a connection identifier and the channel it reports to, behind one lock.
 *
 * <p>Every change is one step from a known state. Whatever must happen together with it (reporting
 * an event, queueing a message) is done under the same lock, so each event is reported once, on the
 * channel the identifier has at that moment. Under the lock there is no I/O and no other identifier
 * is touched; the locks of channels are taken inside it.
 */
public final class IdentifierState {
    /**
     * What was found when an identifier was closed.
     *
     * @param state its last state
     * @param events the events that nobody has taken
     */
    public record Remains(ConnectionState state, List<OwnedEvent> events) {}

    private final ReentrantLock lock = new ReentrantLock();
    private final ReportingIdentifier owner;
    private final List<OwnedEvent> held = new ArrayList<>();
    private ConnectionState current;
    private Optional<QueuedEventChannel> channel;

    /**
     * The state of a new identifier.
     *
     * @param owner the identifier
     * @param initial the state to begin with
     * @param channel where it reports; a request has none until it is taken
     */
    public IdentifierState(
            ReportingIdentifier owner,
            ConnectionState initial,
            Optional<QueuedEventChannel> channel) {
        this.owner = owner;
        this.current = initial;
        this.channel = channel;
    }

    /** {@return the current state} */
    public ConnectionState current() {
        lock.lock();
        try {
            return current;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Throws if the identifier is in a state that does not allow the verb.
     *
     * @param verb its C name
     * @param expected the states that allow it
     */
    public void expect(String verb, ConnectionState... expected) {
        ConnectionState now = current();
        if (!Arrays.asList(expected).contains(now)) {
            throw wrong(verb, now, expected);
        }
    }

    /**
     * {@return the state before a verb's step; throws if that state does not allow the verb}
     *
     * @param verb its C name
     * @param next where to go
     * @param inStep done under the lock if the step is taken; must not block
     * @param expected where the step may start
     */
    public ConnectionState enter(
            String verb, ConnectionState next, Runnable inStep, ConnectionState... expected) {
        lock.lock();
        try {
            return tryEnter(next, inStep, expected)
                    .orElseThrow(() -> wrong(verb, current, expected));
        } finally {
            lock.unlock();
        }
    }

    /**
     * {@return the state before the step, or empty if the identifier was in none of the expected
     * states}
     *
     * @param next where to go
     * @param inStep done under the lock if the step is taken; must not block
     * @param expected where the step may start
     */
    public Optional<ConnectionState> tryEnter(
            ConnectionState next, Runnable inStep, ConnectionState... expected) {
        lock.lock();
        try {
            ConnectionState before = current;
            if (!Arrays.asList(expected).contains(before)) {
                return Optional.empty();
            }
            if (!before.mayGoTo(next)) {
                throw new AssertionError(before + " -> " + next);
            }
            current = next;
            inStep.run();
            return Optional.of(before);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Reports an event without parameters, unless the identifier is closed.
     *
     * @param type what happened
     * @param status as in {@link ConnectionEvent}
     */
    public void report(ConnectionEventType type, int status) {
        report(type, status, ConnectionParameters.ZERO);
    }

    /**
     * Reports an event, unless the identifier is closed.
     *
     * @param type what happened
     * @param status as in {@link ConnectionEvent}
     * @param parameters what the peer said
     */
    public void report(ConnectionEventType type, int status, ConnectionParameters parameters) {
        post(new ConnectionEvent(type, owner, Optional.empty(), status, parameters));
    }

    /**
     * {@return whether the request was reported; false if the identifier no longer listens}
     *
     * @param requested the identifier of the future connection
     * @param parameters what the peer offered
     */
    public boolean reportRequest(ReportingIdentifier requested, ConnectionParameters parameters) {
        lock.lock();
        try {
            if (current != ConnectionState.LISTENING) {
                return false;
            }
            post(
                    new ConnectionEvent(
                            ConnectionEventType.CONNECT_REQUEST,
                            requested,
                            Optional.of(owner),
                            0,
                            parameters));
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Throws if the identifier is closed. */
    public void checkOpen() {
        lock.lock();
        try {
            if (current == ConnectionState.CLOSED) {
                throw closed();
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Moves to another channel, together with the pending events; {@code rdma_migrate_id}.
     *
     * @param to where it reports from now on
     */
    public void migrate(EventChannel to) {
        checkOpen();
        if (!(to instanceof QueuedEventChannel next) || !next.context().equals(owner.context())) {
            throw new VerbsException(
                    "rdma_migrate_id",
                    Errno.EINVAL,
                    "channel: " + to + " (expected: one of the identifier's context)");
        }
        move(next);
    }

    /**
     * Moves a request to the channel it was taken from; if that channel is closed, closes the
     * request.
     *
     * @param next where it reports from now on
     */
    public void adopt(QueuedEventChannel next) {
        try {
            move(next);
        } catch (IllegalStateException e) {
            owner.close();
            throw e;
        }
    }

    private void move(QueuedEventChannel next) {
        lock.lock();
        try {
            if (current == ConnectionState.CLOSED) {
                throw closed();
            }
            if (channel.isPresent() && channel.get() == next) {
                return;
            }
            next.join(owner);
            List<OwnedEvent> waiting = new ArrayList<>(held);
            held.clear();
            channel.ifPresent(previous -> waiting.addAll(previous.leave(owner)));
            channel = Optional.of(next);
            next.add(waiting);
        } finally {
            lock.unlock();
        }
    }

    /** {@return what remains after closing, or empty if it was closed before} */
    public Optional<Remains> close() {
        lock.lock();
        try {
            if (current == ConnectionState.CLOSED) {
                return Optional.empty();
            }
            ConnectionState last = current;
            current = ConnectionState.CLOSED;
            held.clear();
            List<OwnedEvent> events = new ArrayList<>();
            channel.ifPresent(left -> events.addAll(left.leave(owner)));
            return Optional.of(new Remains(last, events));
        } finally {
            lock.unlock();
        }
    }

    /**
     * {@return what remains after closing, or empty if it was closed before or has moved to another
     * channel}
     *
     * @param closing the channel that is being closed
     */
    public Optional<Remains> closeIfOn(QueuedEventChannel closing) {
        lock.lock();
        try {
            return channel.filter(c -> c == closing).flatMap(_ -> close());
        } finally {
            lock.unlock();
        }
    }

    /** {@return the exception for using a closed identifier} */
    public static IllegalStateException closed() {
        return new IllegalStateException("connection identifier is closed");
    }

    private void post(ConnectionEvent event) {
        lock.lock();
        try {
            if (current == ConnectionState.CLOSED) {
                return;
            }
            OwnedEvent entry = new OwnedEvent(owner, event);
            channel.ifPresentOrElse(to -> to.add(List.of(entry)), () -> held.add(entry));
        } finally {
            lock.unlock();
        }
    }

    private static RuntimeException wrong(
            String verb, ConnectionState now, ConnectionState... expected) {
        if (now == ConnectionState.CLOSED) {
            return closed();
        }
        String detail = "state: " + now + " (expected: " + Arrays.toString(expected) + ")";
        return new VerbsException(verb, Errno.EINVAL, detail);
    }
}
