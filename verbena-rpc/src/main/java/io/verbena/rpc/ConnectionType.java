// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

/** How calls share connections; brpc's {@code connection_type}. */
public enum ConnectionType {
    /** All calls of all channels to a server share one connection. */
    SINGLE,
    /** Each call has a connection to itself, and returns it for the next call. */
    POOLED,
    /** Each call opens a connection and closes it. */
    SHORT
}
