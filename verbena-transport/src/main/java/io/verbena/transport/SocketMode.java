// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

/** What a client asks for and a server offers; brpc's {@code socket_mode}. */
public enum SocketMode {
    /** TCP. A client says no hello; a server answers one with a refusal. */
    TCP,
    /** RDMA where both sides can, else TCP. */
    RDMA
}
