// SPDX-License-Identifier: Apache-2.0
package io.verbena.tck;

import io.verbena.verbs.PathMtu;
import io.verbena.verbs.QueuePairState;
import java.util.function.Consumer;

/**
 * Two endpoints, the initiator of operations and their target, connected without the connection
 * manager.
 */
public final class ConnectedPair implements AutoCloseable {
    /** Sets up a pair. */
    public static final class Builder {
        // The first number wraps around its 24 bits after a few messages, so that all tests cover
        // that.
        private static final int INITIATOR_PSN = 0xfffffa;
        private static final int TARGET_PSN = 0x123456;

        private final EndpointBuilder initiator;
        private final EndpointBuilder target;

        Builder(VerbsFixture fixture) {
            initiator =
                    new EndpointBuilder(
                            fixture, "initiator", INITIATOR_PSN, fixture::openInitiator);
            target = new EndpointBuilder(fixture, "target", TARGET_PSN, fixture::openTarget);
        }

        /**
         * Changes the initiator.
         *
         * @param change what to set
         * @return this
         */
        public Builder initiator(Consumer<EndpointBuilder> change) {
            change.accept(initiator);
            return this;
        }

        /**
         * Changes the target.
         *
         * @param change what to set
         * @return this
         */
        public Builder target(Consumer<EndpointBuilder> change) {
            change.accept(target);
            return this;
        }

        /**
         * Changes both sides alike.
         *
         * @param change what to set
         * @return this
         */
        public Builder both(Consumer<EndpointBuilder> change) {
            return initiator(change).target(change);
        }

        /** {@return the pair, connected} */
        public ConnectedPair connect() {
            ConnectedPair pair = build();
            try {
                pair.connect();
                return pair;
            } catch (RuntimeException | Error e) {
                pair.close();
                throw e;
            }
        }

        /** {@return the pair with both queue pairs in state RESET} */
        public ConnectedPair build() {
            Endpoint first = initiator.build();
            try {
                return new ConnectedPair(first, target.build());
            } catch (RuntimeException | Error e) {
                first.close();
                throw e;
            }
        }
    }

    private final Resources resources = new Resources();
    private final Endpoint initiator;
    private final Endpoint target;

    private ConnectedPair(Endpoint initiator, Endpoint target) {
        this.initiator = initiator;
        this.target = resources.add(target);
        resources.add(initiator);
        initiator.peer(target);
        target.peer(initiator);
    }

    /**
     * {@return a builder of a pair}
     *
     * @param fixture where its devices come from
     */
    public static Builder of(VerbsFixture fixture) {
        return new Builder(fixture);
    }

    /** Takes both queue pairs to READY_TO_SEND. */
    public void connect() {
        PathMtu mtu = initiator.activeMtu();
        if (target.activeMtu().bytes() < mtu.bytes()) {
            mtu = target.activeMtu();
        }
        initiator.connect(target.address(), mtu);
        target.connect(initiator.address(), mtu);
    }

    /** {@return the side that starts operations} */
    public Endpoint initiator() {
        return initiator;
    }

    /** {@return the other side} */
    public Endpoint target() {
        return target;
    }

    /** Waits until both queue pairs are in state ERROR. */
    public void awaitBothInError() {
        initiator.awaitState(QueuePairState.ERROR);
        target.awaitState(QueuePairState.ERROR);
    }

    @Override
    public void close() {
        resources.close();
    }
}
