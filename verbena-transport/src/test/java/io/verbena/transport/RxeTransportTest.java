// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

import io.verbena.transport.rdma.OnRxe;
import org.junit.jupiter.api.Nested;

/** Connections on soft-RoCE. */
@OnRxe
class RxeTransportTest {
    @Nested
    class RdmaConnection extends RdmaConnectionTest {}

    @Nested
    class RdmaConnectionFault extends RdmaConnectionFaultTest {}
}
