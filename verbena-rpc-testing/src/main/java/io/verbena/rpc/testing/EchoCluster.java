// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.testing;

import io.verbena.rpc.Channel;
import io.verbena.rpc.ChannelOptions;
import io.verbena.rpc.ClientCall;
import io.verbena.rpc.RpcFlags;
import io.verbena.rpc.Server;

/** Servers that echo, and clients that call them by one protocol. Closing it ends all of them. */
public interface EchoCluster extends AutoCloseable {
    /** {@return the flags of the clients' node} */
    RpcFlags clientFlags();

    /**
     * {@return a server that answers at once}
     *
     * @param port where it listens; 0 for any
     */
    Server server(int port);

    /** {@return a server that answers after {@link #release}} At most one. */
    Server slowServer();

    /** {@return a server that fails every call, until {@link #repair}} At most one. */
    Server failingServer();

    /** Lets the failing server answer from now on. */
    void repair();

    /** Lets the slow server answer. */
    void release();

    /**
     * Waits until the slow server has learned that a call is not wanted any more, if the protocol
     * tells it.
     *
     * @throws InterruptedException if this thread was interrupted
     */
    void awaitCanceled() throws InterruptedException;

    /**
     * {@return a channel to the servers of a registry, in turn}
     *
     * @param url the registry
     * @param options the protocol and time limits are set by this method
     */
    Channel cluster(String url, ChannelOptions options);

    /**
     * {@return a channel to the servers of a registry, in turn, with these time limits}
     *
     * @param url the registry
     * @param timeoutMs of calls
     * @param connectTimeoutMs of connecting
     */
    Channel hastyCluster(String url, int timeoutMs, int connectTimeoutMs);

    /**
     * Makes a call and waits for its end.
     *
     * @param channel where to
     * @param call the call
     * @throws io.verbena.rpc.RpcException if it fails
     */
    void echo(Channel channel, ClientCall call);

    @Override
    void close();
}
