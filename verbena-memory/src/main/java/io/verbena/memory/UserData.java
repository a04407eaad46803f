// SPDX-License-Identifier: Apache-2.0
package io.verbena.memory;

import java.lang.foreign.MemorySegment;

/** The user's memory inside a buffer; the callback runs when the last reference is gone. */
final class UserData extends CountedMemory {
    private final long lkey;
    private final Runnable onRelease;

    UserData(MemorySegment memory, long lkey, Runnable onRelease) {
        super(memory, 0);
        this.lkey = lkey;
        this.onRelease = onRelease;
        firstReference();
    }

    @Override
    long lkey() {
        return lkey;
    }

    @Override
    void giveBack() {
        onRelease.run();
    }

    @Override
    public String toString() {
        return "user data at 0x" + Long.toHexString(address());
    }
}
