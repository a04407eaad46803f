// SPDX-License-Identifier: Apache-2.0
/**
 * gRPC over HTTP/2, on the connections of the transport. From the bytes up: {@code Http2Link} is
 * Netty's codec on a connection; {@code InboundStreams} turns streams into calls of the server.
 */
package io.verbena.grpc;
