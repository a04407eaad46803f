// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

/** What a client asks for and a server offers; brpc's {@code socket_mode}. */
public enum SocketMode {
    /** TCP. A client sends no hello; a server refuses one. */
    TCP,
    /** RDMA if both sides can, otherwise TCP. */
    RDMA
}
