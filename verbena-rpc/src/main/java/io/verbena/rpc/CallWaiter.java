// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.Message;
import java.util.concurrent.locks.LockSupport;

/** A thread that waits for the end of its call. */
final class CallWaiter implements Completion.Quick {
    private final Thread thread = Thread.currentThread();
    private volatile Message result;

    @Override
    public void accept(Message value) {
        result = value;
        LockSupport.unpark(thread);
    }

    /**
     * {@return the result} An interrupt cancels the call, and stays pending.
     *
     * @param controller the controller of the call
     */
    Message await(Controller controller) {
        boolean isInterrupted = false;
        while (result == null) {
            LockSupport.park(this);
            if (Thread.interrupted()) {
                isInterrupted = true;
                controller.startCancel();
            }
        }
        if (isInterrupted) {
            thread.interrupt();
        }
        return result;
    }
}
