// SPDX-License-Identifier: Apache-2.0

package io.verbena.tools;

/** A command cannot continue; the message is for the person who typed it. */
public final class ToolException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    /**
     * A failure with its reason.
     *
     * @param message what went wrong and what was expected
     */
    public ToolException(String message) {
        super(message);
    }

    /**
     * A failure with its reason and cause.
     *
     * @param message what went wrong and what was expected
     * @param cause the underlying failure
     */
    public ToolException(String message, Throwable cause) {
        super(message, cause);
    }
}
