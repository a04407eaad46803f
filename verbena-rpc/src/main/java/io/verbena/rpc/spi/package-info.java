// SPDX-License-Identifier: Apache-2.0
/**
 * Extension points, found by {@link java.util.ServiceLoader}.
 *
 * <ul>
 *   <li>For channels: registries that know which servers there are ({@link
 *       io.verbena.rpc.spi.NamingService}), and balancers that choose among them ({@link
 *       io.verbena.rpc.spi.LoadBalancerProvider}), and protocols to speak instead of {@code
 *       baidu_std} ({@link io.verbena.rpc.spi.ClientProtocolProvider}).
 *   <li>For servers: protocols in addition to {@code baidu_std} ({@link
 *       io.verbena.rpc.spi.ProtocolProvider}).
 * </ul>
 *
 * <p>A protocol meets these types, in this order:
 *
 * <pre>
 *   ProtocolProvider.open(ServerView)      once per server
 *     ServerProtocol.parser(ServerConnection)   once per connection
 *       Parser.consume(bytes)                     recognizes a message
 *         ServerConnection.accept(ServerRequest)    has the server run the call
 *           prepare(ServerCall), decode, answer       called back, once each
 * </pre>
 *
 * <p>A call with streams is a {@link io.verbena.rpc.spi.ServerStreamRequest}: the protocol supplies
 * a {@link io.verbena.rpc.spi.MessageSource} and a {@link io.verbena.rpc.spi.MessageSink}, and
 * reports to {@link io.verbena.rpc.spi.StreamEvents}. On a client, {@link
 * io.verbena.rpc.spi.ClientProtocol#start} makes calls of every form with the same types.
 *
 * <p>This package depends on no other package of the module.
 */
package io.verbena.rpc.spi;
