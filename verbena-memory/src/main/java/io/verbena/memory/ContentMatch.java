// SPDX-License-Identifier: Apache-2.0
package io.verbena.memory;

import java.lang.foreign.MemorySegment;

/** Compares the bytes of two buffers of the same size, whatever their pieces. */
final class ContentMatch {
    private ContentMatch() {}

    static boolean isSame(PieceChain one, PieceChain two) {
        Pieces a = one.pieces();
        Pieces b = two.pieces();
        int i = 0;
        int k = 0;
        int inA = 0;
        int inB = 0;
        for (long left = one.size(); left > 0; ) {
            int count = Math.min(a.length(i) - inA, b.length(k) - inB);
            if (differ(a, i, inA, b, k, inB, count)) {
                return false;
            }
            left -= count;
            inA += count;
            inB += count;
            if (inA == a.length(i)) {
                i++;
                inA = 0;
            }
            if (inB == b.length(k)) {
                k++;
                inB = 0;
            }
        }
        return true;
    }

    private static boolean differ(Pieces a, int i, int inA, Pieces b, int k, int inB, int count) {
        long fromA = a.start(i) + inA;
        long fromB = b.start(k) + inB;
        return MemorySegment.mismatch(
                        a.memory(i).base(),
                        fromA,
                        fromA + count,
                        b.memory(k).base(),
                        fromB,
                        fromB + count)
                >= 0;
    }
}
