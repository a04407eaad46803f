// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

/**
 * The control segment of a software device, one per instance, mapped by every peer.
 *
 * <pre>
 *      0  magic
 *     64  doorbell: what the background thread sleeps on
 *    128  sleeping: 1 while it sleeps; otherwise nobody needs to ring
 *   4096  areas of completion queues, {@value #AREA_STRIDE} bytes each:
 *           0  polled: 1 while the application polls the queue
 *          64  summary: a bit per leaf
 *         128  leaves: a bit per queue pair that has something to look at
 * </pre>
 *
 * <p>Neighbouring cache lines are near enough here: the peer of a hot queue pair touches none of
 * this. The rings, which each message touches, keep twice the distance ({@link RingLayout}).
 */
final class ControlLayout {
    static final int SEGMENT_ID = 0;
    static final long MAGIC = 0x3156_414e_4542_5256L;
    static final long MAGIC_OFFSET = 0;
    static final long DOORBELL = 64;
    static final long SLEEPING = 128;
    static final long AREAS = 4096;
    static final long AREA_STRIDE = 2304;
    static final int MAX_AREAS = 4096;
    static final long POLLED = 0;
    static final long SUMMARY = 64;
    static final long LEAVES = 128;

    /** Queue pairs one completion queue can serve: 256 leaves of 64 bits. */
    static final int MAX_INDEX = 256 * 64;

    static final int SUMMARY_WORDS = MAX_INDEX / 64 / 64;
    static final long BYTES = AREAS + AREA_STRIDE * MAX_AREAS;

    private ControlLayout() {}

    static boolean isArea(long area) {
        return area >= AREAS && area < BYTES && (area - AREAS) % AREA_STRIDE == 0;
    }
}
