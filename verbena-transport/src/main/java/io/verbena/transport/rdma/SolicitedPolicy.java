// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

/**
 * Decides which data messages wake a peer that waits for solicited events only. These are brpc's
 * rules: a burst causes few events, and none is missing. Used inside the posting turn.
 */
final class SolicitedPolicy {
    static final int MAX_UNSOLICITED_BYTES = 1 << 20;

    private final int messageQuarter;
    private final int creditQuarter;
    private int messages;
    private int credits;
    private long bytes;

    SolicitedPolicy(int localWindowCapacity, int remoteWindowCapacity) {
        this.messageQuarter = localWindowCapacity / 4;
        this.creditQuarter = remoteWindowCapacity / 4;
    }

    /**
     * Decides about the next message and counts it.
     *
     * @param room the smaller of the two windows before this message
     * @param isLastWrite whether it carries bytes of the last waiting write
     * @param length its bytes
     * @param credit the credits it carries
     * @return whether to wake the peer
     */
    boolean next(int room, boolean isLastWrite, int length, int credit) {
        if (room <= 1
                || isLastWrite
                || messages > messageQuarter
                || credits > creditQuarter
                || bytes > MAX_UNSOLICITED_BYTES) {
            messages = 0;
            credits = 0;
            bytes = 0;
            return true;
        }
        messages++;
        credits += credit;
        bytes += length;
        return false;
    }
}
