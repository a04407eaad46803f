// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

/**
 * What the calls of a channel have in common.
 *
 * @param options the channel's options
 * @param servers where its calls go
 */
record CallSettings(ChannelOptions options, ServerSelector servers) {}
