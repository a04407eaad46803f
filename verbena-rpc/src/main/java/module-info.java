// SPDX-License-Identifier: Apache-2.0
/**
 * Protobuf services over RDMA or TCP. Servers and channels speak {@code baidu_std}, brpc's wire
 * format.
 */
@SuppressWarnings("requires-transitive-automatic") // protobuf has no module descriptor
module io.verbena.rpc {
    requires transitive com.google.protobuf;
    requires transitive io.verbena.transport;
    requires com.google.gson;
    requires com.google.protobuf.util;
    requires io.netty.buffer;
    requires io.netty.codec.compression;
    requires HdrHistogram;
    requires org.slf4j;

    exports io.verbena.rpc;
    exports io.verbena.rpc.spi;

    uses io.verbena.rpc.spi.LoadBalancerProvider;
    uses io.verbena.rpc.spi.NamingService;
}
