// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.Message;
import io.verbena.completion.Waiter;
import io.verbena.transport.Connection;
import java.util.Optional;

/** A thread that waits for the end of its call. */
final class CallWaiter extends Waiter implements CallNotifier.Quick {
    private final ClientController controller;

    /** Published by the end of the wait. */
    private Message result;

    /** The connection of the latest try; null while there is none. */
    private volatile Connection connection;

    /**
     * The calling thread will wait.
     *
     * @param controller the controller of the call
     */
    CallWaiter(ClientController controller) {
        this.controller = controller;
    }

    /** A try goes out on a connection. */
    void sentOn(Connection carrier) {
        connection = carrier;
    }

    @Override
    public void accept(Message value) {
        result = value;
        end();
    }

    /** {@return the result} An interrupt cancels the call, and stays pending. */
    Message await() {
        Connection carrier = connection;
        if (carrier == null) {
            await(Optional.empty());
        } else {
            carrier.await(this);
        }
        return result;
    }

    @Override
    protected void onInterrupt() {
        controller.startCancel();
    }
}
