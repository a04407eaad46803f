// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.ibv;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.invoke.MethodHandle;
import java.util.Optional;

/**
 * The functions of libibverbs, under their C names. Each states how it reports a failure: there are
 * three conventions. Pointers are {@code long}s. Where a function sets {@code errno}, it ends up in
 * the given {@link NativeCall}.
 *
 * <p>If the library is absent, every call throws an {@link UnsupportedOperationException} with the
 * reason; {@link #problem} gives it in advance.
 */
@SuppressWarnings("MemberName")
final class Ibverbs {
    private static final NativeLibrary LIBRARY = NativeLibrary.open("libibverbs.so.1");
    private static final MethodHandle IBV_GET_DEVICE_LIST =
            LIBRARY.capturing("ibv_get_device_list", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));
    private static final MethodHandle IBV_FREE_DEVICE_LIST =
            LIBRARY.plain("ibv_free_device_list", FunctionDescriptor.ofVoid(JAVA_LONG));
    private static final MethodHandle IBV_GET_DEVICE_NAME =
            LIBRARY.plain("ibv_get_device_name", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));
    private static final MethodHandle IBV_GET_DEVICE_GUID =
            LIBRARY.plain("ibv_get_device_guid", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));
    private static final MethodHandle IBV_OPEN_DEVICE =
            LIBRARY.capturing("ibv_open_device", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));
    private static final MethodHandle IBV_CLOSE_DEVICE =
            LIBRARY.capturing("ibv_close_device", FunctionDescriptor.of(JAVA_INT, JAVA_LONG));
    private static final MethodHandle IBV_QUERY_DEVICE =
            LIBRARY.capturing(
                    "ibv_query_device", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle IBV_QUERY_PORT =
            LIBRARY.capturing(
                    "ibv_query_port",
                    FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_BYTE, JAVA_LONG));
    private static final MethodHandle IBV_QUERY_GID =
            LIBRARY.capturing(
                    "ibv_query_gid",
                    FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_BYTE, JAVA_INT, JAVA_LONG));
    private static final MethodHandle IBV_QUERY_GID_TABLE =
            LIBRARY.capturing(
                    "_ibv_query_gid_table",
                    FunctionDescriptor.of(
                            JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG));
    private static final MethodHandle IBV_ALLOC_PD =
            LIBRARY.capturing("ibv_alloc_pd", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));
    private static final MethodHandle IBV_DEALLOC_PD =
            LIBRARY.capturing("ibv_dealloc_pd", FunctionDescriptor.of(JAVA_INT, JAVA_LONG));
    private static final MethodHandle IBV_REG_MR =
            LIBRARY.capturing(
                    "ibv_reg_mr",
                    FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT));
    private static final MethodHandle IBV_DEREG_MR =
            LIBRARY.capturing("ibv_dereg_mr", FunctionDescriptor.of(JAVA_INT, JAVA_LONG));
    private static final MethodHandle IBV_CREATE_COMP_CHANNEL =
            LIBRARY.capturing(
                    "ibv_create_comp_channel", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));
    private static final MethodHandle IBV_DESTROY_COMP_CHANNEL =
            LIBRARY.capturing(
                    "ibv_destroy_comp_channel", FunctionDescriptor.of(JAVA_INT, JAVA_LONG));
    private static final MethodHandle IBV_CREATE_CQ =
            LIBRARY.capturing(
                    "ibv_create_cq",
                    FunctionDescriptor.of(
                            JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT));
    private static final MethodHandle IBV_DESTROY_CQ =
            LIBRARY.capturing("ibv_destroy_cq", FunctionDescriptor.of(JAVA_INT, JAVA_LONG));
    private static final MethodHandle IBV_GET_CQ_EVENT =
            LIBRARY.capturing(
                    "ibv_get_cq_event",
                    FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle IBV_ACK_CQ_EVENTS =
            LIBRARY.plain("ibv_ack_cq_events", FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_INT));
    private static final MethodHandle IBV_CREATE_QP =
            LIBRARY.capturing(
                    "ibv_create_qp", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle IBV_MODIFY_QP =
            LIBRARY.capturing(
                    "ibv_modify_qp",
                    FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT));
    private static final MethodHandle IBV_QUERY_QP =
            LIBRARY.capturing(
                    "ibv_query_qp",
                    FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG));
    private static final MethodHandle IBV_DESTROY_QP =
            LIBRARY.capturing("ibv_destroy_qp", FunctionDescriptor.of(JAVA_INT, JAVA_LONG));
    private static final MethodHandle IBV_GET_ASYNC_EVENT =
            LIBRARY.capturing(
                    "ibv_get_async_event", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle IBV_ACK_ASYNC_EVENT =
            LIBRARY.plain("ibv_ack_async_event", FunctionDescriptor.ofVoid(JAVA_LONG));

    private Ibverbs() {}

    /** {@return why there is no libibverbs, if so} */
    static Optional<String> problem() {
        return LIBRARY.problem();
    }

    /** {@return whether {@link #_ibv_query_gid_table} exists} */
    static boolean hasGidTable() {
        return LIBRARY.has("_ibv_query_gid_table");
    }

    /**
     * {@return the address of an array of {@code ibv_device} pointers, or 0 with {@code errno}}
     *
     * @param count where the number of devices goes, an {@code int}
     */
    static long ibv_get_device_list(NativeCall call, long count) {
        try {
            return (long) IBV_GET_DEVICE_LIST.invokeExact(call.state(), count);
        } catch (Throwable e) {
            throw NativeLibrary.unexpected("ibv_get_device_list", e);
        }
    }

    /** Frees a list and the devices in it that are not open. It cannot fail. */
    static void ibv_free_device_list(long list) {
        try {
            IBV_FREE_DEVICE_LIST.invokeExact(list);
        } catch (Throwable e) {
            throw NativeLibrary.unexpected("ibv_free_device_list", e);
        }
    }

    /** {@return the address of the device's name, valid as long as the device} It cannot fail. */
    static long ibv_get_device_name(long device) {
        try {
            return (long) IBV_GET_DEVICE_NAME.invokeExact(device);
        } catch (Throwable e) {
            throw NativeLibrary.unexpected("ibv_get_device_name", e);
        }
    }

    /** {@return the node's identifier in network order, 0 if unknown} */
    static long ibv_get_device_guid(long device) {
        try {
            return (long) IBV_GET_DEVICE_GUID.invokeExact(device);
        } catch (Throwable e) {
            throw NativeLibrary.unexpected("ibv_get_device_guid", e);
        }
    }

    /** {@return the address of an {@code ibv_context}, or 0 with {@code errno}} */
    static long ibv_open_device(NativeCall call, long device) {
        try {
            return (long) IBV_OPEN_DEVICE.invokeExact(call.state(), device);
        } catch (Throwable e) {
            throw NativeLibrary.unexpected("ibv_open_device", e);
        }
    }

    /** {@return 0, or -1 with {@code errno}} */
    static int ibv_close_device(NativeCall call, long context) {
        try {
            return (int) IBV_CLOSE_DEVICE.invokeExact(call.state(), context);
        } catch (Throwable e) {
            throw NativeLibrary.unexpected("ibv_close_device", e);
        }
    }

    /** {@return 0 or an error number} */
    static int ibv_query_device(NativeCall call, long context, long attributes) {
        try {
            return (int) IBV_QUERY_DEVICE.invokeExact(call.state(), context, attributes);
        } catch (Throwable e) {
            throw NativeLibrary.unexpected("ibv_query_device", e);
        }
    }

    /**
     * {@return 0 or an error number}
     *
     * <p>In C this name is a macro. The function behind it fills the older, shorter structure:
     * {@code ibv_port_attr} without its last field.
     */
    static int ibv_query_port(NativeCall call, long context, byte port, long attributes) {
        try {
            return (int) IBV_QUERY_PORT.invokeExact(call.state(), context, port, attributes);
        } catch (Throwable e) {
            throw NativeLibrary.unexpected("ibv_query_port", e);
        }
    }

    /** {@return 0, or -1 with {@code errno}} */
    static int ibv_query_gid(NativeCall call, long context, byte port, int index, long gid) {
        try {
            return (int) IBV_QUERY_GID.invokeExact(call.state(), context, port, index, gid);
        } catch (Throwable e) {
            throw NativeLibrary.unexpected("ibv_query_gid", e);
        }
    }

    /**
     * {@return the number of entries, or the negative error number} Not in every libibverbs; see
     * {@link #hasGidTable}.
     */
    static long _ibv_query_gid_table(
            NativeCall call, long context, long entries, long max, int flags, long entrySize) {
        try {
            return (long)
                    IBV_QUERY_GID_TABLE.invokeExact(
                            call.state(), context, entries, max, flags, entrySize);
        } catch (Throwable e) {
            throw NativeLibrary.unexpected("_ibv_query_gid_table", e);
        }
    }

    /** {@return the address of an {@code ibv_pd}, or 0 with {@code errno}} */
    static long ibv_alloc_pd(NativeCall call, long context) {
        try {
            return (long) IBV_ALLOC_PD.invokeExact(call.state(), context);
        } catch (Throwable e) {
            throw NativeLibrary.unexpected("ibv_alloc_pd", e);
        }
    }

    /** {@return 0 or an error number} */
    static int ibv_dealloc_pd(NativeCall call, long domain) {
        try {
            return (int) IBV_DEALLOC_PD.invokeExact(call.state(), domain);
        } catch (Throwable e) {
            throw NativeLibrary.unexpected("ibv_dealloc_pd", e);
        }
    }

    /** {@return the address of an {@code ibv_mr}, or 0 with {@code errno}} */
    static long ibv_reg_mr(NativeCall call, long domain, long address, long length, int access) {
        try {
            return (long) IBV_REG_MR.invokeExact(call.state(), domain, address, length, access);
        } catch (Throwable e) {
            throw NativeLibrary.unexpected("ibv_reg_mr", e);
        }
    }

    /** {@return 0 or an error number} */
    static int ibv_dereg_mr(NativeCall call, long region) {
        try {
            return (int) IBV_DEREG_MR.invokeExact(call.state(), region);
        } catch (Throwable e) {
            throw NativeLibrary.unexpected("ibv_dereg_mr", e);
        }
    }

    /** {@return the address of an {@code ibv_comp_channel}, or 0 with {@code errno}} */
    static long ibv_create_comp_channel(NativeCall call, long context) {
        try {
            return (long) IBV_CREATE_COMP_CHANNEL.invokeExact(call.state(), context);
        } catch (Throwable e) {
            throw NativeLibrary.unexpected("ibv_create_comp_channel", e);
        }
    }

    /** {@return 0 or an error number} */
    static int ibv_destroy_comp_channel(NativeCall call, long channel) {
        try {
            return (int) IBV_DESTROY_COMP_CHANNEL.invokeExact(call.state(), channel);
        } catch (Throwable e) {
            throw NativeLibrary.unexpected("ibv_destroy_comp_channel", e);
        }
    }

    /** {@return the address of an {@code ibv_cq}, or 0 with {@code errno}} */
    static long ibv_create_cq(
            NativeCall call, long context, int depth, long cqContext, long channel, int vector) {
        try {
            return (long)
                    IBV_CREATE_CQ.invokeExact(
                            call.state(), context, depth, cqContext, channel, vector);
        } catch (Throwable e) {
            throw NativeLibrary.unexpected("ibv_create_cq", e);
        }
    }

    /** {@return 0 or an error number} Blocks until every event taken is acknowledged. */
    static int ibv_destroy_cq(NativeCall call, long queue) {
        try {
            return (int) IBV_DESTROY_CQ.invokeExact(call.state(), queue);
        } catch (Throwable e) {
            throw NativeLibrary.unexpected("ibv_destroy_cq", e);
        }
    }

    /** {@return 0, or -1 with {@code errno}, EAGAIN if a non-blocking channel has no event} */
    static int ibv_get_cq_event(NativeCall call, long channel, long queue, long cqContext) {
        try {
            return (int) IBV_GET_CQ_EVENT.invokeExact(call.state(), channel, queue, cqContext);
        } catch (Throwable e) {
            throw NativeLibrary.unexpected("ibv_get_cq_event", e);
        }
    }

    /** Acknowledges. It cannot fail. */
    static void ibv_ack_cq_events(long queue, int count) {
        try {
            IBV_ACK_CQ_EVENTS.invokeExact(queue, count);
        } catch (Throwable e) {
            throw NativeLibrary.unexpected("ibv_ack_cq_events", e);
        }
    }

    /**
     * {@return the address of an {@code ibv_qp}, or 0 with {@code errno}; the sizes it really has
     * are then in the attributes}
     */
    static long ibv_create_qp(NativeCall call, long domain, long attributes) {
        try {
            return (long) IBV_CREATE_QP.invokeExact(call.state(), domain, attributes);
        } catch (Throwable e) {
            throw NativeLibrary.unexpected("ibv_create_qp", e);
        }
    }

    /** {@return 0 or an error number} */
    static int ibv_modify_qp(NativeCall call, long pair, long attributes, int mask) {
        try {
            return (int) IBV_MODIFY_QP.invokeExact(call.state(), pair, attributes, mask);
        } catch (Throwable e) {
            throw NativeLibrary.unexpected("ibv_modify_qp", e);
        }
    }

    /** {@return 0 or an error number} */
    static int ibv_query_qp(NativeCall call, long pair, long attributes, int mask, long init) {
        try {
            return (int) IBV_QUERY_QP.invokeExact(call.state(), pair, attributes, mask, init);
        } catch (Throwable e) {
            throw NativeLibrary.unexpected("ibv_query_qp", e);
        }
    }

    /** {@return 0 or an error number} Blocks until its asynchronous events are acknowledged. */
    static int ibv_destroy_qp(NativeCall call, long pair) {
        try {
            return (int) IBV_DESTROY_QP.invokeExact(call.state(), pair);
        } catch (Throwable e) {
            throw NativeLibrary.unexpected("ibv_destroy_qp", e);
        }
    }

    /** {@return 0, or -1 with {@code errno}, EAGAIN if a non-blocking descriptor has no event} */
    static int ibv_get_async_event(NativeCall call, long context, long event) {
        try {
            return (int) IBV_GET_ASYNC_EVENT.invokeExact(call.state(), context, event);
        } catch (Throwable e) {
            throw NativeLibrary.unexpected("ibv_get_async_event", e);
        }
    }

    /** Acknowledges. It cannot fail. */
    static void ibv_ack_async_event(long event) {
        try {
            IBV_ACK_ASYNC_EVENT.invokeExact(event);
        } catch (Throwable e) {
            throw NativeLibrary.unexpected("ibv_ack_async_event", e);
        }
    }
}
