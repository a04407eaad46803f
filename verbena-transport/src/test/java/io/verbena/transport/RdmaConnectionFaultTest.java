// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

/** Faults of connections over RDMA. */
class RdmaConnectionFaultTest extends ConnectionFaultConformance {
    @Override
    SocketMode mode() {
        return SocketMode.RDMA;
    }
}
