// SPDX-License-Identifier: Apache-2.0
/** Sockets that move messages by RDMA, and a message queue on top of them. */
module io.verbena.socket {
    requires io.verbena.completion;
    requires transitive io.verbena.memory;
    requires transitive io.verbena.verbs;
    requires org.slf4j;

    exports io.verbena.socket;
}
