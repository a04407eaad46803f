// SPDX-License-Identifier: Apache-2.0
/** Services and stubs of protobuf's own generic code, on RPC servers and channels. */
@SuppressWarnings("requires-transitive-automatic") // protobuf has no descriptor
module io.verbena.rpc.generic {
    requires transitive io.verbena.rpc;
    requires transitive com.google.protobuf;

    exports io.verbena.rpc.generic;
}
