// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.server;

/**
 * What limiters begin with.
 *
 * @param autoInitial calls at a time a limiter of type auto begins with
 * @param timeoutMax calls at a time a limiter of type timeout allows at most
 * @param rejectionCode the error of calls that a limiter turned away
 */
public record LimiterSettings(int autoInitial, int timeoutMax, int rejectionCode) {}
