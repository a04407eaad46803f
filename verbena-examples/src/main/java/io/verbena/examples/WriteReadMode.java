// SPDX-License-Identifier: Apache-2.0

package io.verbena.examples;

import io.verbena.verbs.AccessFlag;
import io.verbena.verbs.SendOpcode;
import io.verbena.verbs.SendWorkRequest;

/** Which way the write/read programs move their data. Both sides must use the same. */
public enum WriteReadMode {
    /** Each side writes its text into the other's memory. */
    WRITE(SendOpcode.RDMA_WRITE, "writing message to remote memory..."),
    /** Each side reads the other's text out of the other's memory. */
    READ(SendOpcode.RDMA_READ, "reading message from remote memory...");

    private final SendOpcode opcode;
    private final String announcement;

    WriteReadMode(SendOpcode opcode, String announcement) {
        this.opcode = opcode;
        this.announcement = announcement;
    }

    SendOpcode opcode() {
        return opcode;
    }

    /** {@return what is printed before the transfer} */
    String announcement() {
        return announcement;
    }

    /** {@return what the region that this side's transfers use allows} */
    AccessFlag[] localAccess() {
        return this == WRITE ? new AccessFlag[0] : new AccessFlag[] {AccessFlag.LOCAL_WRITE};
    }

    /** {@return what the region that the peer's transfers use allows} */
    AccessFlag[] remoteAccess() {
        return this == WRITE
                ? new AccessFlag[] {AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE}
                : new AccessFlag[] {AccessFlag.REMOTE_READ};
    }

    /**
     * {@return the flags of the MSG_DONE after the transfer} A send may overtake the answer to a
     * read, and a peer that receives DONE may take its memory away: after a read, DONE has to wait.
     */
    int doneFlags() {
        return this == WRITE
                ? SendWorkRequest.SIGNALED
                : SendWorkRequest.SIGNALED | SendWorkRequest.FENCE;
    }
}
