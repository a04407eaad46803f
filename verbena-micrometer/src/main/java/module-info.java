// SPDX-License-Identifier: Apache-2.0
/** Metrics of RPC servers and channels through Micrometer. */
@SuppressWarnings("requires-transitive-automatic") // Micrometer and protobuf have no descriptor
module io.verbena.micrometer {
    requires transitive io.verbena.rpc;
    requires transitive micrometer.core;
    requires com.google.protobuf;

    exports io.verbena.micrometer;
}
