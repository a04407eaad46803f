// SPDX-License-Identifier: Apache-2.0
package io.verbena.grpc;

import io.verbena.rpc.spi.ClientProtocol;
import io.verbena.rpc.spi.ClientProtocolProvider;
import io.verbena.rpc.spi.ClientView;

/** Adds gRPC to the protocols of channels. */
public final class GrpcClientProvider implements ClientProtocolProvider {
    /** For {@link java.util.ServiceLoader}. */
    public GrpcClientProvider() {}

    @Override
    public String name() {
        return "grpc";
    }

    @Override
    public ClientProtocol open(ClientView channel) {
        return new GrpcClient(channel);
    }
}
