// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.transport.ClientSslOptions;
import io.verbena.transport.SocketMode;
import java.net.InetSocketAddress;
import java.util.Optional;

/**
 * What two channels must have in common to share connections. The mode is always part of it: a TCP
 * channel never ends up on RDMA because another channel came first, nor vice versa.
 *
 * @param address the server
 * @param tag the registry's tag for the address: the same address with another tag is another
 *     server
 * @param mode whether connections ask for RDMA
 * @param group the channel's connection group
 * @param health what the server must answer to be called again
 * @param ssl how connections speak TLS; empty means without
 * @param auth compared by identity, unless it overrides {@code equals}
 */
record RemoteServerKey(
        InetSocketAddress address,
        String tag,
        SocketMode mode,
        String group,
        HealthCriterion health,
        Optional<ClientSslOptions> ssl,
        Optional<Authenticator> auth) {}
