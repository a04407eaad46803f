// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.server;

/**
 * The initial values of limiters.
 *
 * @param autoInitial the initial concurrency limit of a limiter of type auto
 * @param timeoutMax the highest concurrency limit of a limiter of type timeout
 * @param rejectionCode the error code of calls that a limiter rejected
 */
public record LimiterSettings(int autoInitial, int timeoutMax, int rejectionCode) {}
