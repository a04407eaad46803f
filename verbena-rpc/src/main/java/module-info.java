// SPDX-License-Identifier: Apache-2.0
/**
 * Protobuf services over RDMA or TCP. Servers and channels speak {@code baidu_std}, brpc's wire
 * format; other modules add protocols to servers, such as {@code io.verbena.http}.
 */
@SuppressWarnings("requires-transitive-automatic") // protobuf and HdrHistogram have no descriptor
module io.verbena.rpc {
    requires transitive HdrHistogram;
    requires transitive com.google.protobuf;
    requires transitive io.verbena.transport;
    requires io.netty.buffer;
    requires io.netty.codec.compression;
    requires io.netty.common;
    requires java.naming;
    requires java.net.http;
    requires org.slf4j;

    exports io.verbena.rpc;
    exports io.verbena.rpc.spi;

    uses io.verbena.rpc.spi.ClientProtocolProvider;
    uses io.verbena.rpc.spi.LoadBalancerProvider;
    uses io.verbena.rpc.spi.MessageFormat;
    uses io.verbena.rpc.spi.NamingService;
    uses io.verbena.rpc.spi.ProtocolProvider;
}
