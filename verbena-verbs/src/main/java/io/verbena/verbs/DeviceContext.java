// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** An open device; {@code ibv_context}. Closing it closes everything made from it. */
public interface DeviceContext extends AutoCloseable {
    /** The system property that sets the index {@link #defaultGidIndex} returns: {@value}. */
    String GID_INDEX_PROPERTY = "rdma_gid_index";

    /** {@return the device that was opened} */
    Device device();

    /** {@return the device's limits and identity; {@code ibv_query_device}} */
    DeviceAttributes queryDevice();

    /**
     * {@return a port's state; {@code ibv_query_port}}
     *
     * @param port from 1
     */
    PortAttributes queryPort(int port);

    /**
     * {@return the global identifiers of a port in the order of their indices; {@code
     * ibv_query_gid}}
     *
     * @param port from 1
     */
    List<GidEntry> queryGids(int port);

    /**
     * {@return the index of the global identifier to connect with, unless the peer is known to need
     * another: the value of the property {@value #GID_INDEX_PROPERTY} if it is set; on RoCE the
     * first RoCE v2 identifier with an IPv4 address of this host, or else with a global IPv6
     * address; otherwise the first}
     *
     * @param port from 1
     * @throws VerbsException with EADDRNOTAVAIL if the port has no such identifier, with EINVAL if
     *     it does not have the one the property names
     */
    default int defaultGidIndex(int port) {
        return new GidChoice(port, queryGids(port), GidChoice.localAddresses())
                .index(System.getProperty(GID_INDEX_PROPERTY, ""));
    }

    /** {@return a new protection domain; {@code ibv_alloc_pd}} */
    ProtectionDomain allocateProtectionDomain();

    /** {@return a new completion channel; {@code ibv_create_comp_channel}} */
    CompletionChannel createCompletionChannel();

    /**
     * {@return a new completion queue without events; {@code ibv_create_cq}}
     *
     * @param depth the least number of completions it can hold
     */
    CompletionQueue createCompletionQueue(int depth);

    /**
     * {@return a new completion queue that reports to a channel; {@code ibv_create_cq}}
     *
     * @param depth the least number of completions it can hold
     * @param channel where its events go
     * @param vector which completion vector serves it, from 0 to {@link
     *     DeviceAttributes#completionVectors()} exclusive
     */
    CompletionQueue createCompletionQueue(int depth, CompletionChannel channel, int vector);

    /** {@return a new channel for connection events; {@code rdma_create_event_channel}} */
    EventChannel createEventChannel();

    /**
     * {@return the next asynchronous event, or empty if none came in time; {@code
     * ibv_get_async_event}}
     *
     * @param timeout how long to wait; zero polls
     * @throws InterruptedException if the thread was interrupted
     */
    Optional<AsyncEvent> awaitAsyncEvent(Duration timeout) throws InterruptedException;

    /** Closes everything made from this context, then the context itself. */
    @Override
    void close();
}
