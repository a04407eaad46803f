// SPDX-License-Identifier: Apache-2.0
package io.verbena.tck;

import io.verbena.verbs.AccessFlag;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.ConnectionSettings;
import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.ProtectionDomain;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** The settings of an {@link Endpoint}; the defaults suit most tests. */
public final class EndpointBuilder {
    final VerbsFixture fixture;
    final String name;
    final int packetSequenceNumber;
    Supplier<DeviceContext> opener;
    Optional<ProtectionDomain> domain = Optional.empty();
    Optional<CompletionQueue> completionQueue = Optional.empty();
    MemoryKind memory = MemoryKind.DEVICE;
    long regionBytes = 8192;
    AccessFlag[] access = AccessFlag.values();
    AccessFlag[] connectionAccess = AccessFlag.values();
    UnaryOperator<ConnectionSettings> settings = UnaryOperator.identity();
    int sendRequests = 16;
    int receiveRequests = 16;
    int sendElements = 4;
    int receiveElements = 4;
    int inlineBytes;
    int completionDepth = 64;
    boolean signalAll;
    boolean oneQueue;
    boolean channel;

    EndpointBuilder(VerbsFixture fixture, String name, int psn, Supplier<DeviceContext> opener) {
        this.fixture = fixture;
        this.name = name;
        this.packetSequenceNumber = psn;
        this.opener = opener;
    }

    /**
     * Uses an existing protection domain, whose owner closes it; the context is then the domain's.
     *
     * @param shared the domain
     * @return this
     */
    public EndpointBuilder domain(ProtectionDomain shared) {
        domain = Optional.of(shared);
        return this;
    }

    /**
     * Uses an existing completion queue, whose owner closes it, for both directions.
     *
     * @param shared the queue, of the same context as the domain
     * @return this
     */
    public EndpointBuilder completionQueue(CompletionQueue shared) {
        completionQueue = Optional.of(shared);
        return this;
    }

    /**
     * Sets where the region's memory comes from; the device, unless set.
     *
     * @param kind which kind
     * @return this
     */
    public EndpointBuilder memory(MemoryKind kind) {
        memory = kind;
        return this;
    }

    /**
     * Sets the size of the region; 8192, unless set.
     *
     * @param bytes the size
     * @return this
     */
    public EndpointBuilder regionBytes(long bytes) {
        regionBytes = bytes;
        return this;
    }

    /**
     * Sets what the region allows; everything, unless set.
     *
     * @param flags what is allowed
     * @return this
     */
    public EndpointBuilder access(AccessFlag... flags) {
        access = flags;
        return this;
    }

    /**
     * Sets what the queue pair allows its peer; everything, unless set.
     *
     * @param flags what is allowed
     * @return this
     */
    public EndpointBuilder connectionAccess(AccessFlag... flags) {
        connectionAccess = flags;
        return this;
    }

    /**
     * Changes the settings of the connection, which by default retry three times, wait for receives
     * forever, and allow as many reads and atomics as the device does, up to 16.
     *
     * @param change what to change; applied after changes given before
     * @return this
     */
    public EndpointBuilder settings(UnaryOperator<ConnectionSettings> change) {
        UnaryOperator<ConnectionSettings> before = settings;
        settings = value -> change.apply(before.apply(value));
        return this;
    }

    /**
     * Sets the lengths of the queues; 16 each, unless set.
     *
     * @param send how many send requests may be outstanding
     * @param receive how many receives may be outstanding
     * @return this
     */
    public EndpointBuilder requests(int send, int receive) {
        sendRequests = send;
        receiveRequests = receive;
        return this;
    }

    /**
     * Sets the numbers of elements; 4 each, unless set.
     *
     * @param send the most elements of a send request
     * @param receive the most elements of a receive
     * @return this
     */
    public EndpointBuilder elements(int send, int receive) {
        sendElements = send;
        receiveElements = receive;
        return this;
    }

    /**
     * Sets the room for inline data; none, unless set.
     *
     * @param bytes the most bytes of an inline send
     * @return this
     */
    public EndpointBuilder inline(int bytes) {
        inlineBytes = bytes;
        return this;
    }

    /**
     * Sets the length of each completion queue; 64, unless set.
     *
     * @param depth how many completions it holds at least
     * @return this
     */
    public EndpointBuilder completionDepth(int depth) {
        completionDepth = depth;
        return this;
    }

    /**
     * Makes every send complete, signaled or not.
     *
     * @return this
     */
    public EndpointBuilder signalAll() {
        signalAll = true;
        return this;
    }

    /**
     * Uses one completion queue for both directions; there are two, unless set.
     *
     * @return this
     */
    public EndpointBuilder oneQueue() {
        oneQueue = true;
        return this;
    }

    /**
     * Gives the completion queues a completion channel.
     *
     * @return this
     */
    public EndpointBuilder channel() {
        channel = true;
        return this;
    }

    /** {@return the endpoint, its queue pair in state RESET} */
    public Endpoint build() {
        Resources resources = new Resources();
        try {
            return new Endpoint(this, resources);
        } catch (RuntimeException | Error e) {
            resources.close();
            throw e;
        }
    }
}
