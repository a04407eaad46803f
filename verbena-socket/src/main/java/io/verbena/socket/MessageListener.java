// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

import java.io.IOException;
import java.util.Optional;

/**
 * Called with the messages of a socket, one call at a time. If it throws, whatever it is, the
 * socket is closed.
 */
public interface MessageListener extends MessageHandler {
    /**
     * Nothing more will come. Called once, after the last message.
     *
     * @param failure why, unless the peer closed normally
     */
    void onEnd(Optional<IOException> failure);
}
