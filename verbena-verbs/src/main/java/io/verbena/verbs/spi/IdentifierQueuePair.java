// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.spi;

import static io.verbena.verbs.spi.ConnectionState.ADDRESS_RESOLVED;
import static io.verbena.verbs.spi.ConnectionState.BOUND;
import static io.verbena.verbs.spi.ConnectionState.REQUESTED;
import static io.verbena.verbs.spi.ConnectionState.RESOLVING_ROUTE;
import static io.verbena.verbs.spi.ConnectionState.ROUTE_RESOLVED;

import io.verbena.verbs.Errno;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.VerbsException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * The queue pair of a connection identifier, which has at most one in its lifetime. Any thread may
 * use it.
 *
 * @param <P> the provider's queue pairs
 */
public final class IdentifierQueuePair<P extends QueuePair> {
    private final ReportingIdentifier owner;
    private final IdentifierState state;
    private final Class<P> type;
    private final Consumer<P> initialize;
    private final AtomicBoolean isClaimed = new AtomicBoolean();
    private volatile Optional<P> pair = Optional.empty();

    /**
     * None yet.
     *
     * @param owner the identifier it will belong to
     * @param state the owner's state
     * @param type the provider's queue pair class
     * @param initialize moves a new one to INIT, where receives may be posted
     */
    public IdentifierQueuePair(
            ReportingIdentifier owner,
            IdentifierState state,
            Class<P> type,
            Consumer<P> initialize) {
        this.owner = owner;
        this.state = state;
        this.type = type;
        this.initialize = initialize;
    }

    /**
     * {@return a new queue pair, in INIT; {@code rdma_create_qp}}
     *
     * @param domain a domain of the owner's context
     * @param options as for any queue pair
     */
    public P create(ProtectionDomain domain, QueuePairOptions options) {
        String verb = "rdma_create_qp";
        state.expect(verb, BOUND, ADDRESS_RESOLVED, RESOLVING_ROUTE, ROUTE_RESOLVED, REQUESTED);
        if (!domain.context().equals(owner.context())) {
            throw new VerbsException(
                    verb,
                    Errno.EINVAL,
                    "domain: of another context (expected: of the identifier's context)");
        }
        if (!isClaimed.compareAndSet(false, true)) {
            throw new VerbsException(
                    verb, Errno.EINVAL, "the identifier has a queue pair (expected: none)");
        }
        try {
            return initialized(type.cast(domain.createQueuePair(options)));
        } catch (RuntimeException e) {
            isClaimed.set(false);
            throw e;
        }
    }

    private P initialized(P made) {
        try {
            initialize.accept(made);
        } catch (RuntimeException e) {
            made.close();
            throw e;
        }
        pair = Optional.of(made);
        if (state.current() == ConnectionState.CLOSED) {
            // The identifier was closed in the meantime, perhaps without seeing the queue pair.
            made.close();
            throw IdentifierState.closed();
        }
        return made;
    }

    /** {@return the queue pair, if there is one} */
    public Optional<P> get() {
        return pair;
    }

    /**
     * {@return the queue pair}
     *
     * @param verb the calling verb
     * @throws VerbsException if there is none
     */
    public P require(String verb) {
        return pair.orElseThrow(
                () ->
                        new VerbsException(
                                verb,
                                Errno.EINVAL,
                                "no queue pair (expected: createQueuePair first)"));
    }
}
