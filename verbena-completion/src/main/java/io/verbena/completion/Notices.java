// SPDX-License-Identifier: Apache-2.0
package io.verbena.completion;

import java.lang.System.Logger.Level;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.LoggerFactory;
import org.slf4j.helpers.NOPLoggerFactory;

/**
 * Warnings that a person must be able to see. They go to SLF4J. If the program has no SLF4J
 * provider, the first of each class goes to the JDK's own logger, which prints it to the standard
 * error stream: enough to learn that something is wrong, and no flood. Any thread.
 */
public final class Notices {
    private static final String HINT =
            " (further warnings of this kind need an SLF4J provider, such as logback-classic)";

    private static final Set<Class<?>> PRINTED = ConcurrentHashMap.newKeySet();

    private Notices() {}

    /**
     * Warns.
     *
     * @param logger the class that warns
     * @param text what happened, and what to do
     */
    public static void warn(Class<?> logger, String text) {
        if (hasProvider()) {
            LoggerFactory.getLogger(logger).warn(text);
        } else if (PRINTED.add(logger)) {
            System.getLogger(logger.getName()).log(Level.WARNING, text + HINT);
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
        if (hasProvider()) {
            LoggerFactory.getLogger(logger).warn(text, fault);
        } else if (PRINTED.add(logger)) {
            System.getLogger(logger.getName()).log(Level.WARNING, text + HINT, fault);
        }
    }

    /** Without one, SLF4J drops everything. */
    private static boolean hasProvider() {
        return !(LoggerFactory.getILoggerFactory() instanceof NOPLoggerFactory);
    }
}
