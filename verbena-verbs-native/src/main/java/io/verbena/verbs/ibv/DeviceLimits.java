// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.ibv;

import static io.verbena.verbs.ibv.IbvLayout.QP_INIT_ATTR;
import static io.verbena.verbs.ibv.IbvLayout.QP_INIT_MAX_INLINE_DATA;

import io.verbena.verbs.DeviceAttributes;
import io.verbena.verbs.Errno;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.VerbsException;
import java.lang.foreign.MemorySegment;

/** What a device can do, queried once; {@code ibv_device_attr}. */
final class DeviceLimits {
    private static final int[] INLINE_SIZES = {1024, 512, 256, 128, 64, 32};

    private final DeviceAttributes attributes;

    private DeviceLimits(DeviceAttributes attributes) {
        this.attributes = attributes;
    }

    /**
     * {@return the limits of an open device}
     *
     * @param context the address of its {@code ibv_context}
     */
    static DeviceLimits of(long context) {
        try (NativeCall call = NativeCall.begin()) {
            MemorySegment memory = call.allocate(IbvLayout.DEVICE_ATTR);
            int result = Ibverbs.ibv_query_device(call, context, memory.address());
            NativeCall.check("ibv_query_device", result, "the device does not answer");
            int vectors = IbvLayout.CONTEXT_NUM_COMP_VECTORS.getInt(IbvLayout.CONTEXT.at(context));
            return new DeviceLimits(read(memory, vectors, probeInline(call, context)));
        }
    }

    private static DeviceAttributes read(MemorySegment memory, int vectors, int inline) {
        return new DeviceAttributes(
                IbvLayout.DEVICE_FW_VER.in(memory).getString(0),
                Long.reverseBytes(IbvLayout.DEVICE_NODE_GUID.get(memory)),
                Long.reverseBytes(IbvLayout.DEVICE_SYS_IMAGE_GUID.get(memory)),
                IbvLayout.DEVICE_VENDOR_ID.getInt(memory),
                IbvLayout.DEVICE_VENDOR_PART_ID.getInt(memory),
                IbvLayout.DEVICE_HW_VER.getInt(memory),
                IbvLayout.DEVICE_PHYS_PORT_CNT.getInt(memory),
                vectors,
                regionBytes(IbvLayout.DEVICE_MAX_MR_SIZE.get(memory)),
                IbvLayout.DEVICE_MAX_MR.getInt(memory),
                IbvLayout.DEVICE_MAX_QP.getInt(memory),
                IbvLayout.DEVICE_MAX_QP_WR.getInt(memory),
                IbvLayout.DEVICE_MAX_SGE.getInt(memory),
                IbvLayout.DEVICE_MAX_CQ.getInt(memory),
                IbvLayout.DEVICE_MAX_CQE.getInt(memory),
                IbvLayout.DEVICE_MAX_PD.getInt(memory),
                IbvLayout.DEVICE_MAX_QP_RD_ATOM.getInt(memory),
                IbvLayout.DEVICE_MAX_QP_INIT_RD_ATOM.getInt(memory),
                inline,
                IbvLayout.DEVICE_ATOMIC_CAP.getInt(memory) != IbvLayout.IBV_ATOMIC_NONE.value());
    }

    /** Drivers without a limit report the largest unsigned number. */
    private static long regionBytes(long unsigned) {
        return unsigned < 0 ? Long.MAX_VALUE : unsigned;
    }

    /**
     * No verb reports how much inline data a device takes, so queue pairs are created with less and
     * less of it until one succeeds.
     */
    private static int probeInline(NativeCall call, long context) {
        long domain = Ibverbs.ibv_alloc_pd(call, context);
        if (domain == 0) {
            return 0;
        }
        try {
            long queue = Ibverbs.ibv_create_cq(call, context, 1, 0, 0, 0);
            return queue == 0 ? 0 : probeInline(call, domain, queue);
        } finally {
            Ibverbs.ibv_dealloc_pd(call, domain);
        }
    }

    private static int probeInline(NativeCall call, long domain, long queue) {
        try {
            for (int size : INLINE_SIZES) {
                MemorySegment init = call.allocate(QP_INIT_ATTR);
                QueuePairLayout.putInit(init, queue, queue, 1, 1, size);
                long pair = Ibverbs.ibv_create_qp(call, domain, init.address());
                if (pair != 0) {
                    Ibverbs.ibv_destroy_qp(call, pair);
                    return Math.max(size, QP_INIT_MAX_INLINE_DATA.getInt(init));
                }
            }
            return 0;
        } finally {
            Ibverbs.ibv_destroy_cq(call, queue);
        }
    }

    DeviceAttributes attributes() {
        return attributes;
    }

    void checkPort(String verb, int port) {
        range(verb, "port", port, 1, attributes.ports());
    }

    void checkDepth(int depth) {
        range("ibv_create_cq", "depth", depth, 1, attributes.maxCompletions());
    }

    void checkVector(int vector) {
        range("ibv_create_cq", "vector", vector, 0, attributes.completionVectors() - 1);
    }

    void checkLength(long length) {
        range("ibv_reg_mr", "length", length, 1, attributes.maxMemoryRegionBytes());
    }

    void check(QueuePairOptions options) {
        String verb = "ibv_create_qp";
        int requests = attributes.maxQueuePairWorkRequests();
        range(verb, "maxSendRequests", options.maxSendRequests(), 1, requests);
        range(verb, "maxReceiveRequests", options.maxReceiveRequests(), 1, requests);
        range(verb, "maxSendElements", options.maxSendElements(), 0, attributes.maxElements());
        range(
                verb,
                "maxReceiveElements",
                options.maxReceiveElements(),
                0,
                attributes.maxElements());
        range(verb, "maxInlineBytes", options.maxInlineBytes(), 0, attributes.maxInlineBytes());
    }

    private static void range(String verb, String name, long value, long low, long high) {
        if (value < low || value > high) {
            throw new VerbsException(
                    verb,
                    Errno.EINVAL,
                    name + ": " + value + " (expected: " + low + ".." + high + ")");
        }
    }
}
