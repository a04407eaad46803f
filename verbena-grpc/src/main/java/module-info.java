// SPDX-License-Identifier: Apache-2.0
/**
 * gRPC for RPC servers and channels, enabled by having this module on the path: clients of gRPC
 * call the services on the same port as all others. Exports nothing.
 */
module io.verbena.grpc {
    requires com.google.protobuf;
    requires io.netty.buffer;
    requires io.netty.codec;
    requires io.netty.codec.http2;
    requires io.netty.common;
    requires io.netty.transport;
    requires io.verbena.rpc;
    requires org.slf4j;

    opens io.verbena.grpc.builtin to
            com.google.protobuf;

    provides io.verbena.rpc.spi.ClientProtocolProvider with
            io.verbena.grpc.GrpcClientProvider;
    provides io.verbena.rpc.spi.ProtocolProvider with
            io.verbena.grpc.GrpcProvider;
}
