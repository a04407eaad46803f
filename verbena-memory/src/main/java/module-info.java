// SPDX-License-Identifier: Apache-2.0
/**
 * Memory that devices can reach: a pool of registered blocks, and buffers that are chains of
 * references to them. Protobuf is needed only by programs that use {@link
 * io.verbena.memory.ProtobufCodec}.
 */
@SuppressWarnings("module") // those that share the internal package are built after this one
module io.verbena.memory {
    requires transitive io.verbena.verbs;
    requires static com.google.protobuf;

    exports io.verbena.memory;
    exports io.verbena.memory.internal to
            io.verbena.rpc,
            io.verbena.socket,
            io.verbena.transport;
}
