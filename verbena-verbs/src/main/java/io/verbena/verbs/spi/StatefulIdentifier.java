// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.spi;

import io.verbena.verbs.EventChannel;
import java.util.Optional;

/**
 * What the connection identifiers of all devices have in common: their {@link IdentifierState}
 * decides who closes them and where they report. Any thread may use it.
 */
public abstract class StatefulIdentifier implements ReportingIdentifier {
    private final IdentifierState state;
    private volatile Object attachment;

    /**
     * A new identifier.
     *
     * @param initial the state to begin with
     * @param channel where it reports; a request has none until it is taken
     */
    @SuppressWarnings("this-escape") // the state keeps it, and asks nothing of it yet
    protected StatefulIdentifier(ConnectionState initial, Optional<QueuedEventChannel> channel) {
        this.state = new IdentifierState(this, initial, channel);
    }

    /** {@return its state} */
    protected final IdentifierState state() {
        return state;
    }

    /**
     * Gives everything back. Called once, by whoever closes it.
     *
     * @param remains what there was when it was closed
     */
    protected abstract void release(IdentifierState.Remains remains);

    @Override
    public final Object attachment() {
        return attachment;
    }

    @Override
    public final void attach(Object object) {
        attachment = object;
    }

    @Override
    public final void migrate(EventChannel channel) {
        state.migrate(channel);
    }

    @Override
    public final void close() {
        state.close().ifPresent(this::release);
    }

    @Override
    public final void closeWith(QueuedEventChannel channel) {
        state.closeIfOn(channel).ifPresent(this::release);
    }

    @Override
    public final void adopt(QueuedEventChannel channel) {
        state.adopt(channel);
    }

    @Override
    public String toString() {
        return "connection identifier "
                + state.current()
                + localAddress().map(address -> " at " + address).orElse("")
                + remoteAddress().map(address -> " with " + address).orElse("");
    }
}
