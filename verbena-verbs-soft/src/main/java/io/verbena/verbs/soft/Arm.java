// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Whether the next completion raises an event. A thread that arms and then finds the queue empty
 * gets an event for the next completion; a thread that adds a completion checks the arm afterwards.
 */
final class Arm {
    private static final int OFF = 0;
    private static final int SOLICITED = 1;
    private static final int ANY = 2;
    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(Arm.class, "state", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private volatile int state;

    /** Arms for any completion. A full fence: poll after it. */
    void any() {
        state = ANY;
        VarHandle.fullFence();
    }

    /** Arms for solicited completions and failures, unless it is armed. A full fence. */
    void solicited() {
        STATE.compareAndSet(this, OFF, SOLICITED);
        VarHandle.fullFence();
    }

    /**
     * Disarms if it is armed for this kind of completion. Call it after the completion was added.
     *
     * @param isSolicited whether the completion is solicited or a failure
     * @return whether to post an event
     */
    boolean fire(boolean isSolicited) {
        // the completion comes before the check, just as an arming thread arms before its last poll
        VarHandle.fullFence();
        int seen = state;
        while (seen == ANY || seen == SOLICITED && isSolicited) {
            if (STATE.compareAndSet(this, seen, OFF)) {
                return true;
            }
            // fired by another completion, or armed again, which does not undo the first arm
            seen = state;
        }
        return false;
    }
}
