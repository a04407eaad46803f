// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.spi;

import com.google.protobuf.Descriptors.ServiceDescriptor;
import io.verbena.memory.BlockPool;
import io.verbena.transport.Connection;
import io.verbena.transport.SocketMode;
import java.net.InetSocketAddress;
import java.time.Instant;
import java.util.Collection;
import java.util.Optional;
import java.util.concurrent.Future;

/** A server, as protocols and pages see it. Any thread may call any method. */
public interface ServerView {
    /** {@return where the memory of messages comes from} */
    BlockPool pool();

    /** {@return the largest body that is taken, now: the flag max_body_size} */
    long maxBodyBytes();

    /** {@return its services, in the order they were added} */
    Collection<ServiceDescriptor> services();

    /** {@return its methods, in the order they were added} */
    Collection<ServerMethod> methods();

    /**
     * {@return a method}
     *
     * @param service full name of the service, or its name without the package
     * @param method name of the method
     */
    Optional<ServerMethod> findMethod(String service, String method);

    /** {@return all flags of the process} */
    FlagRegistry flags();

    /** {@return the connections of its clients now} */
    Collection<Connection> connections();

    /** {@return where it listens} */
    InetSocketAddress address();

    /** {@return what it offers to clients that ask for RDMA} */
    SocketMode socketMode();

    /** {@return when it was started} */
    Instant startedAt();

    /** {@return whether it takes no more calls} */
    boolean isStopping();

    /** {@return how many calls it is working on} */
    int concurrency();

    /** {@return the most calls at a time; 0 is no limit} */
    int maxConcurrency();

    /** {@return how many calls this process makes itself now} */
    int clientCalls();

    /**
     * {@return whether a server that stops waits for an answer that is not made yet, until {@link
     * #release}; false if it stops already}
     */
    boolean tryHold();

    /** An answer for which {@link #tryHold} was true was written, or never will be. */
    void release();

    /**
     * {@return what ends it} Runs a short chore each second, on a thread that all servers share.
     *
     * @param chore must not block
     */
    Future<?> everySecond(Runnable chore);
}
