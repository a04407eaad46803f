// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

/**
 * What the calls of a channel have in common.
 *
 * @param options the channel's options
 * @param servers where its calls go
 * @param interceptors those of the options
 * @param budget limits the retries of all its calls together
 */
@SuppressWarnings("ArrayRecordComponent") // never compared; an array has no iterator
record CallSettings(
        ChannelOptions options,
        ServerSelector servers,
        ClientInterceptor[] interceptors,
        RetryBudget budget) {
    CallSettings(ChannelOptions options, ServerSelector servers) {
        this(
                options,
                servers,
                options.interceptors().toArray(ClientInterceptor[]::new),
                new RetryBudget(options.cluster().retryPercent()));
    }
}
