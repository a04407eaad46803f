// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

/**
 * Decides which data messages ask for a completion: one each time a quarter of the window was sent
 * without any, and the last of a burst if it holds memory. So an idle connection pins nothing. Used
 * inside the posting turn.
 */
final class SignalingPolicy {
    private final int quarter;
    private int unsignaled;
    private boolean isPinning;

    SignalingPolicy(int windowCapacity) {
        this.quarter = Math.max(1, windowCapacity / 4);
    }

    /**
     * Decides about the next message and counts it.
     *
     * @param isLast whether no other message is known to follow at once
     * @param isPinned whether the message needs memory until it completes
     * @return how many messages its completion stands for, or 0 if it has none
     */
    int next(boolean isLast, boolean isPinned) {
        unsignaled++;
        isPinning |= isPinned;
        if (unsignaled < quarter && !(isLast && isPinning)) {
            return 0;
        }
        return finish();
    }

    /** {@return how many messages a completion requested for another reason stands for} */
    int finish() {
        int count = unsignaled;
        unsignaled = 0;
        isPinning = false;
        return count;
    }

    /** {@return how many messages were sent since the last one with a completion} */
    int unsignaled() {
        return unsignaled;
    }
}
