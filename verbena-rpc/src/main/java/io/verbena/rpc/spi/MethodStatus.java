// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.spi;

import org.HdrHistogram.Histogram;

/** Statistics of a method. Any thread may call any method. */
public interface MethodStatus {
    /** {@return calls in progress} */
    int concurrency();

    /** {@return the current limit on concurrent calls; 0 means no limit} */
    int maxConcurrency();

    /** {@return calls that succeeded} */
    long count();

    /** {@return calls that failed} */
    long errors();

    /** {@return calls that the limiter rejected} */
    long rejected();

    /**
     * {@return latencies in microseconds since the last call of this method} Only one caller per
     * server may take them: latencies that one has taken are not seen by another.
     */
    Histogram takeLatencies();
}
