// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.spi;

import com.google.protobuf.Descriptors.ServiceDescriptor;
import io.verbena.memory.BlockPool;
import io.verbena.transport.Connection;
import io.verbena.transport.SocketMode;
import java.net.InetSocketAddress;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Future;

/** A server, as protocols and pages see it. Any thread may call any method. */
public interface ServerView {
    /** {@return the pool that provides the memory of messages} */
    BlockPool pool();

    /** {@return the largest body that is accepted: the current value of the flag max_body_size} */
    long maxBodyBytes();

    /**
     * {@return how many bytes may wait to be sent on a connection before it gets no more answers:
     * the flag socket_max_unwritten_bytes}
     */
    long maxUnwrittenBytes();

    /** {@return its services, in the order they were added} */
    Collection<ServiceDescriptor> services();

    /** {@return its methods, in the order they were added} */
    Collection<ServerMethod> methods();

    /**
     * {@return a method by its names}
     *
     * @param service full name of the service, or its name without the package
     * @param method name of the method
     */
    Optional<ServerMethod> findMethod(String service, String method);

    /** {@return other web sites whose pages may send requests, such as https://console.example} */
    Set<String> trustedOrigins();

    /** {@return whether it offers services of its own, such as pages and health checks} */
    boolean hasBuiltinServices();

    /** {@return all flags of the process} */
    FlagRegistry flags();

    /** {@return the current connections of its clients} */
    Collection<Connection> connections();

    /** {@return the address it listens on} */
    InetSocketAddress address();

    /** {@return what it offers to clients that ask for RDMA} */
    SocketMode socketMode();

    /** {@return when it was started} */
    Instant startedAt();

    /** {@return whether it is stopping and accepts no more calls} */
    boolean isStopping();

    /** {@return how many calls it is working on} */
    int concurrency();

    /** {@return the limit on concurrent calls; 0 means no limit} */
    int maxConcurrency();

    /** {@return how many calls this process has under way as a client} */
    int clientCalls();

    /** {@return the clusters that this process calls} */
    default Collection<ClusterStatus> clusters() {
        return List.of();
    }

    /** {@return how many times a client failed to authenticate} */
    long failedAuthentications();

    /** {@return how many connections were refused or cut because their peers proved nothing} */
    long droppedConnections();

    /**
     * {@return how many connections had to use TCP because too many clients that had sent no
     * request had a queue pair}
     */
    long refusedQueuePairs();

    /**
     * {@return whether a stopping server will wait for an answer that does not exist yet, until
     * {@link #release}; false if it is already stopping}
     */
    boolean tryHold();

    /** An answer for which {@link #tryHold} returned true was written, or never will be. */
    void release();

    /**
     * {@return a future that stops it when canceled} Runs a short chore every second, on a thread
     * that all servers share.
     *
     * @param chore the chore; must not block
     */
    Future<?> everySecond(Runnable chore);
}
