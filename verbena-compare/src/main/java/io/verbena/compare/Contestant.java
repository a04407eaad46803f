// SPDX-License-Identifier: Apache-2.0

package io.verbena.compare;

import static io.verbena.compare.CallerKind.INLINE;
import static io.verbena.compare.CallerKind.PLATFORM;
import static io.verbena.compare.CallerKind.VIRTUAL;
import static io.verbena.compare.ServiceKind.NONBLOCKING;
import static io.verbena.compare.ServiceKind.ORDINARY;

import java.util.Locale;

/** A system in one of its configurations, and the way it is used. */
public enum Contestant {
    /** Verbena over the software device; dispatchers spin for a moment, then sleep. */
    VERBENA_SOFT_ADAPTIVE("verbena", "soft", "adaptive", INLINE, NONBLOCKING),
    /** Verbena over the software device; dispatchers spin forever. */
    VERBENA_SOFT_POLLING("verbena", "soft", "polling", INLINE, NONBLOCKING),
    /** Verbena over the software device, adaptive, with the bytes in an attachment. */
    VERBENA_SOFT_ATTACHMENT("verbena", "soft", "attachment", INLINE, NONBLOCKING),
    /** Verbena over the software device, adaptive, with interceptors and metrics on both sides. */
    VERBENA_SOFT_INTERCEPTED("verbena", "soft", "intercepted", INLINE, NONBLOCKING),
    /** Verbena over TCP. */
    VERBENA_TCP("verbena", "tcp", "", INLINE, NONBLOCKING),
    /** Verbena over TCP, with the bytes in an attachment. */
    VERBENA_TCP_ATTACHMENT("verbena", "tcp", "attachment", INLINE, NONBLOCKING),
    /** Verbena over TCP with TLS, by the JDK's provider and cipher. */
    VERBENA_TCP_TLS("verbena", "tcp", "tls", INLINE, NONBLOCKING),
    /** Blocking stub on a platform thread, ordinary service, over the software device. */
    VERBENA_SOFT_PLATFORM_ORDINARY("verbena", "soft", "adaptive", PLATFORM, ORDINARY),
    /** Blocking stub on a platform thread, non-blocking service, over the software device. */
    VERBENA_SOFT_PLATFORM_NONBLOCKING("verbena", "soft", "adaptive", PLATFORM, NONBLOCKING),
    /** Blocking stubs on virtual threads, ordinary service, over the software device. */
    VERBENA_SOFT_VIRTUAL_ORDINARY("verbena", "soft", "adaptive", VIRTUAL, ORDINARY),
    /** Blocking stubs on virtual threads, non-blocking service, over the software device. */
    VERBENA_SOFT_VIRTUAL_NONBLOCKING("verbena", "soft", "adaptive", VIRTUAL, NONBLOCKING),
    /** Blocking stub on a platform thread, ordinary service, over TCP. */
    VERBENA_TCP_PLATFORM_ORDINARY("verbena", "tcp", "", PLATFORM, ORDINARY),
    /** Blocking stub on a platform thread, non-blocking service, over TCP. */
    VERBENA_TCP_PLATFORM_NONBLOCKING("verbena", "tcp", "", PLATFORM, NONBLOCKING),
    /** Blocking stubs on virtual threads, ordinary service, over TCP. */
    VERBENA_TCP_VIRTUAL_ORDINARY("verbena", "tcp", "", VIRTUAL, ORDINARY),
    /** Blocking stubs on virtual threads, non-blocking service, over TCP. */
    VERBENA_TCP_VIRTUAL_NONBLOCKING("verbena", "tcp", "", VIRTUAL, NONBLOCKING),
    /** gRPC for Java over Netty. */
    GRPC_JAVA("grpc-java", "tcp", "", INLINE, NONBLOCKING),
    /** gRPC's blocking stub on a platform thread; the service runs on gRPC's default executor. */
    GRPC_JAVA_PLATFORM_ORDINARY("grpc-java", "tcp", "", PLATFORM, ORDINARY),
    /** gRPC's blocking stub on a platform thread; the service runs on the event loop. */
    GRPC_JAVA_PLATFORM_NONBLOCKING("grpc-java", "tcp", "", PLATFORM, NONBLOCKING),
    /** gRPC's blocking stubs on virtual threads; the service runs on gRPC's default executor. */
    GRPC_JAVA_VIRTUAL_ORDINARY("grpc-java", "tcp", "", VIRTUAL, ORDINARY),
    /** gRPC's blocking stubs on virtual threads; the service runs on the event loop. */
    GRPC_JAVA_VIRTUAL_NONBLOCKING("grpc-java", "tcp", "", VIRTUAL, NONBLOCKING),
    /** brpc for Java. */
    BRPC_JAVA("brpc-java", "tcp", "", INLINE, ORDINARY),
    /** Frames of bytes with plain Netty. */
    NETTY("netty", "tcp", "", INLINE, NONBLOCKING),
    /** Frames of bytes with plain Netty and TLS, by the same provider and cipher. */
    NETTY_TLS("netty", "tcp", "tls", INLINE, NONBLOCKING),
    /** Messages of bytes with Aeron, through shared memory. */
    AERON_IPC("aeron-ipc", "ipc", "", INLINE, NONBLOCKING);

    /** The mode in which the bytes go in an attachment. */
    static final String ATTACHMENT = "attachment";

    /** The connection is encrypted. */
    static final String TLS = "tls";

    /** The mode with interceptors. */
    static final String INTERCEPTED = "intercepted";

    private static final int LARGEST_IF_BLOCKING = 4 << 10;

    private final String system;
    private final String transport;
    private final String mode;
    private final CallerKind caller;
    private final ServiceKind service;

    Contestant(
            String system, String transport, String mode, CallerKind caller, ServiceKind service) {
        this.system = system;
        this.transport = transport;
        this.mode = mode;
        this.caller = caller;
        this.service = service;
    }

    /** {@return its name on the command line} */
    public String key() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** {@return the name of its {@link EchoSystem}} */
    public String system() {
        return system;
    }

    /** {@return its transport} */
    public String transport() {
        return transport;
    }

    /** {@return its mode; empty if there is only one} */
    public String mode() {
        return mode;
    }

    /** {@return who makes its calls} */
    public CallerKind caller() {
        return caller;
    }

    /** {@return where its service runs} */
    public ServiceKind service() {
        return service;
    }

    /**
     * {@return whether it is measured with many connections, too} Those are, in which every setting
     * that memory depends on is the default.
     */
    boolean isCrowd() {
        return caller == PLATFORM && service == ORDINARY;
    }

    /**
     * {@return whether it is measured with streams of messages, too} A platform thread reads them,
     * and an ordinary service writes.
     */
    boolean hasStreams() {
        return isCrowd();
    }

    /**
     * {@return whether it takes part in a measurement} What a thread costs that waits does not
     * depend on the size, so callers that block leave out the large ones. There is one platform
     * thread: programs with many calls under way at a time use virtual ones.
     *
     * @param cell the measurement
     */
    boolean measures(Cell cell) {
        return (!caller.isBlocking() || cell.bytes() <= LARGEST_IF_BLOCKING)
                && (caller != PLATFORM || cell.depth() == 1);
    }
}
