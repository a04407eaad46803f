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
 * <p>Requests are checked here first, against the sizes the queue pair really has. Drivers disagree
 * on the error number of a malformed request, and some say ENOMEM, as for a full queue; once the
 * shape is known to be good, ENOMEM means "full" and nothing else. It also keeps a chain whose
 * memory is freed from the driver: reading it here throws.
 */
final class SendPosting {
    private static final String VERB = "ibv_post_send";
    private static final int LAST_OPCODE = SendOpcode.FETCH_AND_ADD.code();

    private final IbvPointers pointers;
    private final long pair;
    private final MemorySegment refused;
    private final int maxElements;
    private final int maxInline;

    /**
     * For one queue pair.
     *
     * @param refused a word for the driver to say which request it refused
     */
    SendPosting(IbvPointers pointers, long pair, MemorySegment refused, QueuePairOptions granted) {
        this.pointers = pointers;
        this.pair = pair;
        this.refused = refused;
        this.maxElements = granted.maxSendElements();
        this.maxInline = granted.maxInlineBytes();
    }

    /** {@return how many of the chain were taken} Called inside the gate. */
    int post(SendWorkRequest first) {
        int length = 1;
        SendWorkRequest last = first;
        while (isWellFormed(last)) {
            if (!last.hasNext()) {
                return post(first, length);
            }
            last = last.next();
            length++;
        }
        return postBefore(first, last, length - 1);
    }

    private int post(SendWorkRequest first, int length) {
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

    /** Posts what is before a malformed request, then refuses it. */
    private int postBefore(SendWorkRequest first, SendWorkRequest malformed, int before) {
        if (before > 0) {
            SendWorkRequest last = first;
            while (last.next() != malformed) {
                last = last.next();
            }
            last.next(null);
            try {
                int taken = post(first, before);
                if (taken < before) {
                    return taken;
                }
            } finally {
                last.next(malformed);
            }
        }
        throw new VerbsException(VERB, Errno.EINVAL, fault(malformed));
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
        if (errno == Errno.ENOMEM && taken < length) {
            return taken;
        }
        throw new VerbsException(VERB, errno, "requests taken: " + taken + " of " + length);
    }

    /** {@return the place of the refused request; all were taken if the driver named none} */
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
