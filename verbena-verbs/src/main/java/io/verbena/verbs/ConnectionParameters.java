// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs;

import java.util.Arrays;

/**
 * What one side of a connection offers the other; {@code rdma_conn_param}.
 *
 * @param privateData bytes for the peer's application; at most 56 to connect, 196 to accept. How
 *     many the peer sees depends on the wire: real devices pad with zeros, so put the length in the
 *     data
 * @param responderResources the most reads and atomics this side answers at once
 * @param initiatorDepth the most reads and atomics this side starts at once
 * @param retryCount how many times to retry when the peer does not answer, 0 to 7; the connecting
 *     side's value counts for both
 * @param rnrRetryCount how many times the <em>peer</em> retries when this side has no receive
 *     posted; 7 means forever
 */
@SuppressWarnings("ArrayRecordComponent") // copied in and out, compared by content
public record ConnectionParameters(
        byte[] privateData,
        int responderResources,
        int initiatorDepth,
        int retryCount,
        int rnrRetryCount) {
    /** The most private data a connection request carries. */
    public static final int MAX_CONNECT_DATA = 56;

    /** The most private data an acceptance carries. */
    public static final int MAX_ACCEPT_DATA = 196;

    /** The most private data a rejection carries. */
    public static final int MAX_REJECT_DATA = 148;

    /** Everything zero, as a {@code memset} leaves it. */
    public static final ConnectionParameters ZERO =
            new ConnectionParameters(new byte[0], 0, 0, 0, 0);

    /** No private data, one read or atomic at a time, seven retries of both kinds. */
    public static final ConnectionParameters DEFAULT =
            new ConnectionParameters(new byte[0], 1, 1, 7, 7);

    /** Checks the ranges and copies the bytes. */
    public ConnectionParameters {
        privateData = privateData.clone();
        check("responderResources", responderResources, 255);
        check("initiatorDepth", initiatorDepth, 255);
        check("retryCount", retryCount, 7);
        check("rnrRetryCount", rnrRetryCount, 7);
    }

    /** {@return a copy of the bytes for the peer's application} */
    @Override
    public byte[] privateData() {
        return privateData.clone();
    }

    /**
     * {@return these parameters with other private data}
     *
     * @param bytes for the peer's application
     */
    public ConnectionParameters withPrivateData(byte[] bytes) {
        return new ConnectionParameters(
                bytes, responderResources, initiatorDepth, retryCount, rnrRetryCount);
    }

    /**
     * {@return these parameters with other limits on reads and atomics}
     *
     * @param resources the most this side answers at once
     * @param depth the most this side starts at once
     */
    public ConnectionParameters withReadAtomic(int resources, int depth) {
        return new ConnectionParameters(privateData, resources, depth, retryCount, rnrRetryCount);
    }

    /**
     * {@return these parameters with other retry counts}
     *
     * @param retry how many times when the peer does not answer
     * @param rnrRetry how many times the peer retries when this side has no receive posted
     */
    public ConnectionParameters withRetries(int retry, int rnrRetry) {
        return new ConnectionParameters(
                privateData, responderResources, initiatorDepth, retry, rnrRetry);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ConnectionParameters that
                && Arrays.equals(privateData, that.privateData)
                && responderResources == that.responderResources
                && initiatorDepth == that.initiatorDepth
                && retryCount == that.retryCount
                && rnrRetryCount == that.rnrRetryCount;
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(privateData) * 31 + responderResources * 7 + initiatorDepth;
    }

    private static void check(String name, int value, int max) {
        if (value < 0 || value > max) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: 0.." + max + ")");
        }
    }
}
