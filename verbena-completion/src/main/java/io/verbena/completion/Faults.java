// SPDX-License-Identifier: Apache-2.0
package io.verbena.completion;

import org.slf4j.LoggerFactory;

/**
 * Reports what foreign code has thrown: services, callbacks, codecs, plug-ins. They may throw
 * anything, and even its message may throw, so nothing here throws again. Any thread.
 */
public final class Faults {
    private Faults() {}

    /**
     * {@return the class and the message of a throwable; only the class if it has no message to
     * give}
     *
     * @param fault the throwable
     */
    public static String describe(Throwable fault) {
        try {
            return String.valueOf(fault);
        } catch (Throwable e) {
            return fault.getClass().getName();
        }
    }

    /**
     * {@return an error text: what failed, and why}
     *
     * @param what what failed, as in "the service failed"
     * @param fault the throwable
     */
    public static String describe(String what, Throwable fault) {
        try {
            return what + ": " + describe(fault);
        } catch (OutOfMemoryError e) {
            return what;
        }
    }

    /**
     * Logs a throwable as a warning.
     *
     * @param logger the class that logs it
     * @param what what failed, as in "the service failed"
     * @param where whom it affects: a call, a connection
     * @param fault the throwable
     */
    public static void warn(Class<?> logger, String what, Object where, Throwable fault) {
        try {
            Notices.warn(logger, where + ": " + what, fault);
        } catch (Throwable e) {
            warnBriefly(logger, fault);
        }
    }

    /** For a throwable that the logger cannot print, or when there is no memory to print it. */
    private static void warnBriefly(Class<?> logger, Throwable fault) {
        try {
            LoggerFactory.getLogger(logger).warn("{}", describe(fault));
        } catch (Throwable e) {
            // nobody is left to tell
        }
    }
}
