// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.ibv;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.invoke.MethodHandle;
import java.util.Optional;

/**
 * The functions of librdmacm, under their C names. Each states how it reports a failure. Pointers
 * are {@code long}s. Where a function sets {@code errno}, it ends up in the given {@link
 * NativeCall}.
 *
 * <p>If the library is absent, every call throws an {@link UnsupportedOperationException} with the
 * reason; {@link #problem} gives it in advance.
 */
@SuppressWarnings("MemberName")
final class Rdmacm {
    private static final NativeLibrary LIBRARY = NativeLibrary.open("librdmacm.so.1");
    private static final MethodHandle RDMA_CREATE_EVENT_CHANNEL =
            LIBRARY.capturing("rdma_create_event_channel", FunctionDescriptor.of(JAVA_LONG));
    private static final MethodHandle RDMA_DESTROY_EVENT_CHANNEL =
            LIBRARY.plain("rdma_destroy_event_channel", FunctionDescriptor.ofVoid(JAVA_LONG));
    private static final MethodHandle RDMA_CREATE_ID =
            LIBRARY.capturing(
                    "rdma_create_id",
                    FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT));
    private static final MethodHandle RDMA_DESTROY_ID =
            LIBRARY.capturing("rdma_destroy_id", FunctionDescriptor.of(JAVA_INT, JAVA_LONG));
    private static final MethodHandle RDMA_BIND_ADDR =
            LIBRARY.capturing(
                    "rdma_bind_addr", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle RDMA_LISTEN =
            LIBRARY.capturing("rdma_listen", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT));
    private static final MethodHandle RDMA_RESOLVE_ADDR =
            LIBRARY.capturing(
                    "rdma_resolve_addr",
                    FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT));
    private static final MethodHandle RDMA_RESOLVE_ROUTE =
            LIBRARY.capturing(
                    "rdma_resolve_route", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT));
    private static final MethodHandle RDMA_INIT_QP_ATTR =
            LIBRARY.capturing(
                    "rdma_init_qp_attr",
                    FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle RDMA_CONNECT =
            LIBRARY.capturing(
                    "rdma_connect", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle RDMA_ACCEPT =
            LIBRARY.capturing("rdma_accept", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle RDMA_ESTABLISH =
            LIBRARY.capturing("rdma_establish", FunctionDescriptor.of(JAVA_INT, JAVA_LONG));
    private static final MethodHandle RDMA_REJECT =
            LIBRARY.capturing(
                    "rdma_reject",
                    FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_BYTE));
    private static final MethodHandle RDMA_DISCONNECT =
            LIBRARY.capturing("rdma_disconnect", FunctionDescriptor.of(JAVA_INT, JAVA_LONG));
    private static final MethodHandle RDMA_GET_CM_EVENT =
            LIBRARY.capturing(
                    "rdma_get_cm_event", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle RDMA_ACK_CM_EVENT =
            LIBRARY.capturing("rdma_ack_cm_event", FunctionDescriptor.of(JAVA_INT, JAVA_LONG));

    private Rdmacm() {}

    /** {@return why there is no librdmacm, if so} */
    static Optional<String> problem() {
        return LIBRARY.problem();
    }

    /**
     * {@return the address of an {@code rdma_event_channel}, or 0 with {@code errno}: ENODEV if
     * there is no RDMA device, ENOENT or EACCES if {@code /dev/infiniband/rdma_cm} cannot be
     * opened}
     */
    static long rdma_create_event_channel(NativeCall call) {
        try {
            return (long) RDMA_CREATE_EVENT_CHANNEL.invokeExact(call.state());
        } catch (Throwable e) {
            throw NativeLibrary.unexpected("rdma_create_event_channel", e);
        }
    }

    /** Destroys a channel whose identifiers are all destroyed. It cannot fail. */
    static void rdma_destroy_event_channel(long channel) {
        try {
            RDMA_DESTROY_EVENT_CHANNEL.invokeExact(channel);
        } catch (Throwable e) {
            throw NativeLibrary.unexpected("rdma_destroy_event_channel", e);
        }
    }

    /**
     * {@return 0, or -1 with {@code errno}; the address of the {@code rdma_cm_id} is then in {@code
     * id}}
     */
    static int rdma_create_id(NativeCall call, long channel, long id, long context, int portSpace) {
        try {
            return (int) RDMA_CREATE_ID.invokeExact(call.state(), channel, id, context, portSpace);
        } catch (Throwable e) {
            throw NativeLibrary.unexpected("rdma_create_id", e);
        }
    }

    /**
     * {@return 0, or -1 with {@code errno}} Blocks until every event taken for it is acknowledged.
     */
    static int rdma_destroy_id(NativeCall call, long id) {
        try {
            return (int) RDMA_DESTROY_ID.invokeExact(call.state(), id);
        } catch (Throwable e) {
            throw NativeLibrary.unexpected("rdma_destroy_id", e);
        }
    }

    /** {@return 0, or -1 with {@code errno}} */
    static int rdma_bind_addr(NativeCall call, long id, long address) {
        try {
            return (int) RDMA_BIND_ADDR.invokeExact(call.state(), id, address);
        } catch (Throwable e) {
            throw NativeLibrary.unexpected("rdma_bind_addr", e);
        }
    }

    /** {@return 0, or -1 with {@code errno}} */
    static int rdma_listen(NativeCall call, long id, int backlog) {
        try {
            return (int) RDMA_LISTEN.invokeExact(call.state(), id, backlog);
        } catch (Throwable e) {
            throw NativeLibrary.unexpected("rdma_listen", e);
        }
    }

    /** {@return 0, or -1 with {@code errno}} An event reports the outcome. */
    static int rdma_resolve_addr(
            NativeCall call, long id, long source, long destination, int timeoutMs) {
        try {
            return (int)
                    RDMA_RESOLVE_ADDR.invokeExact(call.state(), id, source, destination, timeoutMs);
        } catch (Throwable e) {
            throw NativeLibrary.unexpected("rdma_resolve_addr", e);
        }
    }

    /** {@return 0, or -1 with {@code errno}} An event reports the outcome. */
    static int rdma_resolve_route(NativeCall call, long id, int timeoutMs) {
        try {
            return (int) RDMA_RESOLVE_ROUTE.invokeExact(call.state(), id, timeoutMs);
        } catch (Throwable e) {
            throw NativeLibrary.unexpected("rdma_resolve_route", e);
        }
    }

    /**
     * {@return 0, or -1 with {@code errno}} Reads the state to go to from the attributes and fills
     * in the rest of them and the mask, an {@code int}.
     */
    static int rdma_init_qp_attr(NativeCall call, long id, long attributes, long mask) {
        try {
            return (int) RDMA_INIT_QP_ATTR.invokeExact(call.state(), id, attributes, mask);
        } catch (Throwable e) {
            throw NativeLibrary.unexpected("rdma_init_qp_attr", e);
        }
    }

    /** {@return 0, or -1 with {@code errno}} An event reports the outcome. */
    static int rdma_connect(NativeCall call, long id, long parameters) {
        try {
            return (int) RDMA_CONNECT.invokeExact(call.state(), id, parameters);
        } catch (Throwable e) {
            throw NativeLibrary.unexpected("rdma_connect", e);
        }
    }

    /** {@return 0, or -1 with {@code errno}} An event reports the outcome. */
    static int rdma_accept(NativeCall call, long id, long parameters) {
        try {
            return (int) RDMA_ACCEPT.invokeExact(call.state(), id, parameters);
        } catch (Throwable e) {
            throw NativeLibrary.unexpected("rdma_accept", e);
        }
    }

    /**
     * {@return 0, or -1 with {@code errno}} Ends the active side's handshake, for an identifier
     * whose queue pair is not librdmacm's.
     */
    static int rdma_establish(NativeCall call, long id) {
        try {
            return (int) RDMA_ESTABLISH.invokeExact(call.state(), id);
        } catch (Throwable e) {
            throw NativeLibrary.unexpected("rdma_establish", e);
        }
    }

    /** {@return 0, or -1 with {@code errno}} */
    static int rdma_reject(NativeCall call, long id, long data, byte length) {
        try {
            return (int) RDMA_REJECT.invokeExact(call.state(), id, data, length);
        } catch (Throwable e) {
            throw NativeLibrary.unexpected("rdma_reject", e);
        }
    }

    /**
     * {@return 0, or -1 with {@code errno}} Asks the peer to disconnect, or answers its request to
     * disconnect.
     */
    static int rdma_disconnect(NativeCall call, long id) {
        try {
            return (int) RDMA_DISCONNECT.invokeExact(call.state(), id);
        } catch (Throwable e) {
            throw NativeLibrary.unexpected("rdma_disconnect", e);
        }
    }

    /**
     * {@return 0, or -1 with {@code errno}, EAGAIN if a non-blocking channel has no event; the
     * address of the {@code rdma_cm_event} is then in {@code event}}
     */
    static int rdma_get_cm_event(NativeCall call, long channel, long event) {
        try {
            return (int) RDMA_GET_CM_EVENT.invokeExact(call.state(), channel, event);
        } catch (Throwable e) {
            throw NativeLibrary.unexpected("rdma_get_cm_event", e);
        }
    }

    /** {@return 0} Frees an event; it cannot fail with one from {@link #rdma_get_cm_event}. */
    static int rdma_ack_cm_event(NativeCall call, long event) {
        try {
            return (int) RDMA_ACK_CM_EVENT.invokeExact(call.state(), event);
        } catch (Throwable e) {
            throw NativeLibrary.unexpected("rdma_ack_cm_event", e);
        }
    }
}
