// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.handshake;

import io.verbena.transport.HandshakeState;
import io.verbena.transport.RdmaState;
import io.verbena.transport.rdma.Hello;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The protocol of a handshake by hello, without any I/O: a machine is given bytes, and answers with
 * bytes and decisions. This class is what both sides have in common.
 *
 * <p>One thread at a time; any thread may read the states.
 */
abstract sealed class HelloMachine permits ClientHelloMachine, ServerHelloMachine {
    private final boolean eceEnabled;
    private final AtomicReference<HandshakeState> state =
            new AtomicReference<>(HandshakeState.UNINIT);
    private volatile RdmaState rdmaState = RdmaState.RDMA_UNKNOWN;
    private Optional<ReceivedHello> received = Optional.empty();

    /**
     * Creates a handshake that has not begun.
     *
     * @param eceEnabled whether this side takes part in the exchange of ECE
     */
    HelloMachine(boolean eceEnabled) {
        this.eceEnabled = eceEnabled;
    }

    /** {@return how far it has come} */
    final HandshakeState state() {
        return state.get();
    }

    /** {@return what it has decided} */
    final RdmaState rdmaState() {
        return rdmaState;
    }

    /** {@return 2 or 3, 1 if the peer's hello was of that version, 0 before there was one} */
    abstract int version();

    /** The handshake cannot be finished. */
    final void fail() {
        move(HandshakeState.FAILED);
    }

    /** {@return what the peer offered, after the decision BRING_UP} */
    final Hello peer() {
        return received.filter(ReceivedHello.Offer.class::isInstance)
                .map(hello -> ((ReceivedHello.Offer) hello).hello())
                .map(this::told)
                .orElseThrow();
    }

    /**
     * {@return why the peer's hello is a refusal, or had to be refused; empty if it is an offer}
     */
    final Optional<String> objection() {
        return received.filter(ReceivedHello.Refusal.class::isInstance)
                .map(hello -> ((ReceivedHello.Refusal) hello).reason());
    }

    /** {@return a hello reduced to what this side supports} */
    final Hello told(Hello hello) {
        return eceEnabled ? hello : hello.withoutEce();
    }

    final void move(HandshakeState next) {
        state.set(next);
    }

    /** Moves on, unless another thread has already left the state this one was in. */
    final void move(HandshakeState from, HandshakeState next) {
        state.compareAndSet(from, next);
    }

    final void decide(RdmaState decision) {
        rdmaState = decision;
    }

    final Optional<ReceivedHello> received() {
        return received;
    }

    final void received(Optional<ReceivedHello> hello) {
        received = hello;
    }
}
