// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.ibv;

import io.verbena.verbs.Errno;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.SendOpcode;
import io.verbena.verbs.SendWorkRequest;
import io.verbena.verbs.VerbsException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Posts chains of send requests to the driver.
 *
 * <p>Requests are first checked here, against the actual sizes of the queue pair. Drivers disagree
 * on the error number for a malformed request, and some return ENOMEM, as for a full queue; once
 * the request is known to be well formed, ENOMEM can only mean "full". The check also keeps a chain
 * whose memory is freed away from the driver: reading it here throws. {@link SendRoom} decides
 * whether the queue is full; a driver may be stricter, but none is more generous.
 */
final class SendPosting {
    private static final String VERB = "ibv_post_send";
    private static final int LAST_OPCODE = SendOpcode.FETCH_AND_ADD.code();

    private final IbvPointers pointers;
    private final long pair;
    private final MemorySegment refused;
    private final SendRoom room;
    private final int maxElements;
    private final int maxInline;

    /**
     * For one queue pair.
     *
     * @param refused a word where the driver stores which request it refused
     */
    SendPosting(
            IbvPointers pointers,
            long pair,
            MemorySegment refused,
            SendRoom room,
            QueuePairOptions granted) {
        this.pointers = pointers;
        this.pair = pair;
        this.refused = refused;
        this.room = room;
        this.maxElements = granted.maxSendElements();
        this.maxInline = granted.maxInlineBytes();
    }

    /** {@return how many of the chain were taken} Called inside the gate. */
    int post(SendWorkRequest first) {
        int length = 0;
        SendWorkRequest request = first;
        while (room.isFree(length)) {
            if (!isWellFormed(request)) {
                return postBeforeMalformed(first, request, length);
            }
            room.note(length++, request);
            if (!request.hasNext()) {
                return post(first, length);
            }
            request = request.next();
        }
        return length == 0 ? 0 : postBefore(first, request, length);
    }

    private int post(SendWorkRequest first, int length) {
        room.take(length);
        int result = pointers.ibv_post_send(pair, first.memory().address(), refused.address());
        return result == 0 ? length : takenSlowPath(first, length, Math.abs(result));
    }

    private boolean isWellFormed(SendWorkRequest request) {
        int opcode = request.opcodeCode();
        return request.elementCount() <= maxElements
                && opcode >= 0
                && opcode <= LAST_OPCODE
                && ((request.flags() & SendWorkRequest.INLINE) == 0 || isInlineAllowed(request));
    }

    private boolean isInlineAllowed(SendWorkRequest request) {
        if (request.opcodeCode() >= SendOpcode.RDMA_READ.code()) {
            return false;
        }
        long bytes = 0;
        for (int i = 0; i < request.elementCount(); i++) {
            bytes += Integer.toUnsignedLong(request.element(i).length());
        }
        return bytes <= maxInline;
    }

    private int postBeforeMalformed(SendWorkRequest first, SendWorkRequest malformed, int before) {
        int taken = before == 0 ? 0 : postBefore(first, malformed, before);
        if (taken < before) {
            return taken;
        }
        throw new VerbsException(VERB, Errno.EINVAL, fault(malformed));
    }

    /** Posts the beginning of a chain, which is joined again afterwards. */
    private int postBefore(SendWorkRequest first, SendWorkRequest end, int length) {
        SendWorkRequest last = first;
        while (last.next() != end) {
            last = last.next();
        }
        last.next(null);
        try {
            return post(first, length);
        } finally {
            last.next(end);
        }
    }

    private String fault(SendWorkRequest request) {
        if (request.elementCount() > maxElements) {
            return "elementCount: "
                    + request.elementCount()
                    + " (expected: 0.."
                    + maxElements
                    + ", or ask for more in QueuePairOptions)";
        }
        if (request.opcode() == SendOpcode.UNRECOGNIZED) {
            return "opcode: " + request.opcodeCode() + " (expected: a SendOpcode)";
        }
        return "inline data of "
                + request.opcode()
                + " (expected: a send or write of at most "
                + maxInline
                + " bytes, or ask for more in QueuePairOptions)";
    }

    private int takenSlowPath(SendWorkRequest first, int length, int errno) {
        int taken = indexOf(first, length, refused.get(ValueLayout.JAVA_LONG, 0));
        room.giveBack(length - taken);
        if (errno == Errno.ENOMEM && taken < length) {
            return taken;
        }
        throw new VerbsException(VERB, errno, "requests taken: " + taken + " of " + length);
    }

    /** {@return the index of the refused request; all were taken if the driver named none} */
    private static int indexOf(SendWorkRequest first, int length, long address) {
        SendWorkRequest request = first;
        for (int i = 0; i < length; i++) {
            if (request.memory().address() == address) {
                return i;
            }
            request = request.next();
        }
        return length;
    }
}
