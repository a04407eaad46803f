// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import java.io.IOException;

/** A message has more bytes than {@code max_body_size} allows. */
public final class MessageTooLargeException extends IOException {
    private static final long serialVersionUID = 1L;

    MessageTooLargeException(String message, Throwable cause) {
        super(message, cause);
    }
}
