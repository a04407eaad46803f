// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.bench;

/** The measurement cannot go on; the message is for the person who started it. */
final class BenchException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    BenchException(String message) {
        super(message);
    }

    BenchException(String message, Throwable cause) {
        super(message, cause);
    }
}
