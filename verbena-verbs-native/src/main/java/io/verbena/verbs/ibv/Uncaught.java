// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.ibv;

/** Reports what a thread of this package goes on after. */
final class Uncaught {
    private Uncaught() {}

    /** Reports a failure as if the calling thread had ended with it. Throws nothing. */
    static void report(Throwable failure) {
        Thread thread = Thread.currentThread();
        try {
            thread.getUncaughtExceptionHandler().uncaughtException(thread, failure);
        } catch (Throwable e) {
            // as in a thread that ends: what the handler throws is not reported
        }
    }
}
