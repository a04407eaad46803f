// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.testing;

import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Message;
import io.verbena.rpc.Channel;
import io.verbena.rpc.ClientCall;
import io.verbena.rpc.Server;
import io.verbena.rpc.spi.ClientProtocol;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

/** Servers that echo by one protocol, and clients whose lists change. Closing it ends all. */
public interface LeavingEcho extends AutoCloseable {
    /** {@return a server on any port that answers at once, unless a call is to be held} */
    Server server();

    /**
     * {@return a channel to the servers of a registry that is soon done with those that have left}
     *
     * @param url the registry
     */
    Channel cluster(String url);

    /**
     * {@return the client's end of the protocol, without a channel}
     *
     * @param isListed whether any server is on the list
     */
    ClientProtocol client(BooleanSupplier isListed);

    /** {@return the method that echoes} */
    MethodDescriptor method();

    /**
     * {@return a request}
     *
     * @param text what comes back
     */
    Message request(String text);

    /** {@return an empty response} */
    Message response();

    /**
     * {@return a call that a server has begun to serve, and answers after {@link #release}}
     *
     * @param channel where to
     * @param call the call
     * @throws InterruptedException if this thread was interrupted
     */
    CompletableFuture<? extends Message> hold(Channel channel, ClientCall call)
            throws InterruptedException;

    /** Lets the call that is held end. */
    void release();

    @Override
    void close();
}
