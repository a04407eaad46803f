// SPDX-License-Identifier: Apache-2.0
/**
 * Ordered bytes over RDMA or TCP. brpc's handshake, on the ordinary TCP port, decides which of the
 * two each connection uses.
 */
module io.verbena.transport {
    requires transitive io.verbena.completion;
    requires transitive io.verbena.memory;
    requires transitive io.verbena.verbs;
    requires io.netty.buffer;
    requires io.netty.codec;
    requires io.netty.common;
    requires io.netty.handler;
    requires io.netty.transport;
    requires java.naming;
    requires jdk.net;
    requires org.slf4j;

    exports io.verbena.transport;
}
