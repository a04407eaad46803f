// SPDX-License-Identifier: Apache-2.0
/**
 * Metrics of RPC servers and channels through Micrometer.
 *
 * {@snippet :
 * CallMetrics metrics = new CallMetrics(registry);
 * new NodeMetrics(node).bindTo(registry);
 * server.start(8002, ServerOptions.DEFAULT.withInterceptors(metrics));
 * Channel.open(node, address, ChannelOptions.DEFAULT.withInterceptors(metrics));
 * }
 */
package io.verbena.micrometer;
