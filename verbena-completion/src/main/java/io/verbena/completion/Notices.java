// SPDX-License-Identifier: Apache-2.0
package io.verbena.completion;

import java.lang.System.Logger.Level;
import org.slf4j.LoggerFactory;
import org.slf4j.helpers.NOPLoggerFactory;

/**
 * Warnings that a person must be able to see: they go to SLF4J, or, if the program has no SLF4J
 * provider, to the JDK's own logger, which prints them to the standard error stream. Any thread.
 */
public final class Notices {
    private Notices() {}

    /**
     * Warns.
     *
     * @param logger the class that warns
     * @param text what happened, and what to do
     */
    public static void warn(Class<?> logger, String text) {
        if (isSilent()) {
            System.getLogger(logger.getName()).log(Level.WARNING, text);
        } else {
            LoggerFactory.getLogger(logger).warn(text);
        }
    }

    /**
     * Warns of a failure.
     *
     * @param logger the class that warns
     * @param text what happened
     * @param fault the failure, printed with its stack trace
     */
    public static void warn(Class<?> logger, String text, Throwable fault) {
        if (isSilent()) {
            System.getLogger(logger.getName()).log(Level.WARNING, text, fault);
        } else {
            LoggerFactory.getLogger(logger).warn(text, fault);
        }
    }

    /** Whether SLF4J has no provider: it then drops everything. */
    private static boolean isSilent() {
        return LoggerFactory.getILoggerFactory() instanceof NOPLoggerFactory;
    }
}
