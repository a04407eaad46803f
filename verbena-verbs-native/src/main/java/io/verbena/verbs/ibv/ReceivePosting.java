// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.ibv;

import io.verbena.verbs.Errno;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.ReceiveWorkRequest;
import io.verbena.verbs.VerbsException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Posts chains of receives to the driver; like {@link SendPosting}. */
final class ReceivePosting {
    private static final String VERB = "ibv_post_recv";

    private final IbvPointers pointers;
    private final long pair;
    private final MemorySegment refused;
    private final int maxElements;

    /**
     * For one queue pair.
     *
     * @param refused a word where the driver stores which request it refused
     */
    ReceivePosting(
            IbvPointers pointers, long pair, MemorySegment refused, QueuePairOptions granted) {
        this.pointers = pointers;
        this.pair = pair;
        this.refused = refused;
        this.maxElements = granted.maxReceiveElements();
    }

    /** {@return how many of the chain were taken} Called inside the gate. */
    int post(ReceiveWorkRequest first) {
        int length = 1;
        ReceiveWorkRequest last = first;
        while (last.elementCount() <= maxElements) {
            if (!last.hasNext()) {
                return post(first, length);
            }
            last = last.next();
            length++;
        }
        return postBefore(first, last, length - 1);
    }

    private int post(ReceiveWorkRequest first, int length) {
        int result = pointers.ibv_post_recv(pair, first.memory().address(), refused.address());
        return result == 0 ? length : takenSlowPath(first, length, Math.abs(result));
    }

    /** Posts the requests before a malformed one, then refuses that one. */
    private int postBefore(ReceiveWorkRequest first, ReceiveWorkRequest malformed, int before) {
        if (before > 0) {
            ReceiveWorkRequest last = first;
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
        throw new VerbsException(
                VERB,
                Errno.EINVAL,
                "elementCount: "
                        + malformed.elementCount()
                        + " (expected: 0.."
                        + maxElements
                        + ", or ask for more in QueuePairOptions)");
    }

    private int takenSlowPath(ReceiveWorkRequest first, int length, int errno) {
        int taken = indexOf(first, length, refused.get(ValueLayout.JAVA_LONG, 0));
        if (errno == Errno.ENOMEM && taken < length) {
            return taken;
        }
        throw new VerbsException(VERB, errno, "receives taken: " + taken + " of " + length);
    }

    /** {@return the index of the refused receive; all were taken if the driver named none} */
    private static int indexOf(ReceiveWorkRequest first, int length, long address) {
        ReceiveWorkRequest request = first;
        for (int i = 0; i < length; i++) {
            if (request.memory().address() == address) {
                return i;
            }
            request = request.next();
        }
        return length;
    }
}
