// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

/** Faults of connections over TCP. */
class TcpConnectionFaultTest extends ConnectionFaultConformance {
    @Override
    SocketMode mode() {
        return SocketMode.TCP;
    }
}
