// SPDX-License-Identifier: Apache-2.0
package io.verbena.memory;

import io.verbena.verbs.Errno;

/**
 * The pool could not do what was asked. Carries the error number brpc's pool would set: EINVAL for
 * an invalid argument, ERANGE for memory that is not the pool's, ENOMEM if there is none left.
 */
public class BlockPoolException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int errno;

    BlockPoolException(int errno, String detail) {
        this(errno, detail, null);
    }

    BlockPoolException(int errno, String detail, Throwable cause) {
        super(detail + " (errno=" + errno + " " + Errno.name(errno) + ")", cause);
        this.errno = errno;
    }

    /** {@return the error number, see {@link Errno}} */
    public int errno() {
        return errno;
    }
}
