// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.ibv;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * The functions of a device's driver that posting and polling go through: {@code ibv_context.ops}.
 * In C, inline functions call them, so the library exports no symbol for them. None allocates, none
 * uses {@code errno}, all take plain addresses.
 *
 * <p>They are ordinary downcalls, not critical ones; ADR 0009 explains why.
 */
@SuppressWarnings("MemberName")
final class IbvPointers {
    private static final MethodHandle POST =
            NativeLibrary.pointer(FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle POLL =
            NativeLibrary.pointer(FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_LONG));
    private static final MethodHandle ARM =
            NativeLibrary.pointer(FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT));

    private final MemorySegment postSend;
    private final MemorySegment postReceive;
    private final MemorySegment poll;
    private final MemorySegment arm;

    /**
     * Reads the pointers of an open device.
     *
     * @param context the address of its {@code ibv_context}
     */
    IbvPointers(long context) {
        MemorySegment memory = IbvLayout.CONTEXT.at(context);
        postSend = MemorySegment.ofAddress(IbvLayout.CONTEXT_POST_SEND.get(memory));
        postReceive = MemorySegment.ofAddress(IbvLayout.CONTEXT_POST_RECV.get(memory));
        poll = MemorySegment.ofAddress(IbvLayout.CONTEXT_POLL_CQ.get(memory));
        arm = MemorySegment.ofAddress(IbvLayout.CONTEXT_REQ_NOTIFY_CQ.get(memory));
    }

    /**
     * {@return 0 or an error number; the address of the request that was refused is then in the
     * word given}
     */
    int ibv_post_send(long pair, long request, long badRequest) {
        try {
            return (int) POST.invokeExact(postSend, pair, request, badRequest);
        } catch (Throwable e) {
            throw NativeLibrary.unexpected("ibv_post_send", e);
        }
    }

    /**
     * {@return 0 or an error number; the address of the request that was refused is then in the
     * word given}
     */
    int ibv_post_recv(long pair, long request, long badRequest) {
        try {
            return (int) POST.invokeExact(postReceive, pair, request, badRequest);
        } catch (Throwable e) {
            throw NativeLibrary.unexpected("ibv_post_recv", e);
        }
    }

    /** {@return how many completions were taken, or a negative number} */
    int ibv_poll_cq(long queue, int max, long completions) {
        try {
            return (int) POLL.invokeExact(poll, queue, max, completions);
        } catch (Throwable e) {
            throw NativeLibrary.unexpected("ibv_poll_cq", e);
        }
    }

    /** {@return 0 or an error number} */
    int ibv_req_notify_cq(long queue, int solicitedOnly) {
        try {
            return (int) ARM.invokeExact(arm, queue, solicitedOnly);
        } catch (Throwable e) {
            throw NativeLibrary.unexpected("ibv_req_notify_cq", e);
        }
    }
}
