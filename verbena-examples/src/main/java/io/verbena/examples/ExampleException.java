// SPDX-License-Identifier: Apache-2.0

package io.verbena.examples;

/** An example did not reach its normal end; the message is for the person who ran it. */
public final class ExampleException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    /**
     * A failure with its reason.
     *
     * @param message what went wrong and what was expected
     */
    public ExampleException(String message) {
        super(message);
    }
}
