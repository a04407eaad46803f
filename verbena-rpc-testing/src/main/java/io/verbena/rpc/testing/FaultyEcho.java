// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.testing;

import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Message;
import io.verbena.rpc.Channel;
import io.verbena.rpc.ChannelOptions;
import java.util.concurrent.CompletableFuture;

/** A server that echoes by one protocol, and its clients. Closing it ends all of them. */
public interface FaultyEcho extends AutoCloseable {
    /**
     * {@return a channel to the server}
     *
     * @param options the protocol and time limits are set by this method
     */
    Channel channel(ChannelOptions options);

    /** {@return the method that echoes} */
    MethodDescriptor method();

    /**
     * {@return a request}
     *
     * @param text what comes back
     * @param failWith the code that the call fails with; 0 if it succeeds
     */
    Message request(String text, int failWith);

    /** {@return an empty response} */
    Message response();

    /** {@return what the protocol calls of a request to encode it} */
    String encoderMethod();

    /** {@return what the protocol calls of an empty response to parse another} */
    String[] parserMethods();

    /**
     * {@return a call that the server has begun to serve, and ends after {@link #release}}
     *
     * @param channel where to
     * @throws InterruptedException if this thread was interrupted
     */
    CompletableFuture<? extends Message> hold(Channel channel) throws InterruptedException;

    /** Lets the call that is held end. */
    void release();

    /** Checks that nothing of any call is left on the server, and no connection was lost. */
    void checkServer();

    @Override
    void close();
}
