// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.spi;

import org.HdrHistogram.Histogram;

/** What a method has done so far. Any thread may call any method. */
public interface MethodStatus {
    /** {@return calls that are being worked on} */
    int concurrency();

    /** {@return the most calls at a time that are allowed now; 0 is no limit} */
    int maxConcurrency();

    /** {@return calls that went well} */
    long count();

    /** {@return calls that failed} */
    long errors();

    /** {@return calls that the limiter turned away} */
    long rejected();

    /**
     * {@return latencies in microseconds since the last call of this method} One caller per server
     * may take them: what one has taken, another does not see.
     */
    Histogram takeLatencies();
}
