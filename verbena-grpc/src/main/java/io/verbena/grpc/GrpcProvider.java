// SPDX-License-Identifier: Apache-2.0
package io.verbena.grpc;

import io.verbena.rpc.spi.ProtocolProvider;
import io.verbena.rpc.spi.ServerProtocol;
import io.verbena.rpc.spi.ServerView;

/** Adds gRPC to every server of a process that has this module on its path. */
public final class GrpcProvider implements ProtocolProvider {
    /** For {@link java.util.ServiceLoader}. */
    public GrpcProvider() {}

    @Override
    public String name() {
        return "h2";
    }

    @Override
    public ServerProtocol open(ServerView server) {
        return new GrpcProtocol(server, CodecLimits.DEFAULT);
    }
}
