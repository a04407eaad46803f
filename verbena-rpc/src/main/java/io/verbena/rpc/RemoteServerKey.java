// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.transport.SocketMode;
import java.net.InetSocketAddress;
import java.util.Optional;

/**
 * What two channels must have in common to share connections. The mode is always part of it: a TCP
 * channel never finds itself on RDMA because another channel came first, nor the other way round.
 *
 * @param address the server
 * @param tag what the registry says beside the address: with another tag it is another server
 * @param mode whether connections ask for RDMA
 * @param group of the channel
 * @param auth compared by identity, unless it has its own idea
 */
record RemoteServerKey(
        InetSocketAddress address,
        String tag,
        SocketMode mode,
        String group,
        Optional<Authenticator> auth) {}
