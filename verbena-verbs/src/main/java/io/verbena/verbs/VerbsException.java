// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs;

/** A control verb failed. Carries the verb's C name and the error number libibverbs would give. */
public class VerbsException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String verb;
    private final int errno;

    /**
     * A failure with an explanation.
     *
     * @param verb the C name, such as {@code ibv_reg_mr}
     * @param errno a positive error number, see {@link Errno}
     * @param detail the arguments that matter and what to do
     */
    public VerbsException(String verb, int errno, String detail) {
        this(verb, errno, detail, null);
    }

    /**
     * A failure with an explanation and a cause.
     *
     * @param verb the C name, such as {@code ibv_reg_mr}
     * @param errno a positive error number, see {@link Errno}
     * @param detail the arguments that matter and what to do
     * @param cause the underlying failure, or null
     */
    public VerbsException(String verb, int errno, String detail, Throwable cause) {
        super(
                verb + " failed: " + detail + " (errno=" + errno + " " + Errno.name(errno) + ")",
                cause);
        this.verb = verb;
        this.errno = errno;
    }

    /** {@return the C name of the verb that failed} */
    public String verb() {
        return verb;
    }

    /** {@return the error number} */
    public int errno() {
        return errno;
    }
}
