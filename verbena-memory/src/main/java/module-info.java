// SPDX-License-Identifier: Apache-2.0
/**
 * Memory that devices can reach: a pool of registered blocks, and buffers that are chains of
 * references to them. Protobuf is needed only by programs that use {@link
 * io.verbena.memory.ProtobufCodec}.
 */
module io.verbena.memory {
    requires transitive io.verbena.verbs;
    requires static com.google.protobuf;

    exports io.verbena.memory;
}
