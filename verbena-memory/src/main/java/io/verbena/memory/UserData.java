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

    /**
     * The callback is foreign code, and runs on the thread of a connection or of a device: whatever
     * it throws ends here.
     */
    @Override
    void giveBack() {
        try {
            onRelease.run();
        } catch (Throwable e) {
            warn(e);
        }
    }

    private void warn(Throwable fault) {
        try {
            System.getLogger(UserData.class.getName())
                    .log(
                            System.Logger.Level.WARNING,
                            this + ": its release callback failed",
                            fault);
        } catch (Throwable e) {
            warnBriefly(fault);
        }
    }

    /** For a throwable that cannot be printed, or when there is no memory to print it. */
    private static void warnBriefly(Throwable fault) {
        try {
            System.getLogger(UserData.class.getName())
                    .log(
                            System.Logger.Level.WARNING,
                            "a release callback failed: {0}",
                            fault.getClass().getName());
        } catch (Throwable e) {
            // nobody is left to tell
        }
    }

    @Override
    public String toString() {
        return "user data at 0x" + Long.toHexString(address());
    }
}
