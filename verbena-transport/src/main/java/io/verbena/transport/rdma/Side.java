// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

/**
 * Which side of its connection an endpoint is on. Each side has its own dispatchers, so that a
 * thread that waits for an answer, and polls for it, never finds itself running a service.
 */
public enum Side {
    /** It opened the connection. */
    CLIENT,
    /** It accepted the connection. */
    SERVER
}
