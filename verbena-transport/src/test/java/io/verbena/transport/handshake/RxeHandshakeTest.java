// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.handshake;

import io.verbena.transport.EndpointKind;
import io.verbena.transport.rdma.OnRxe;
import org.junit.jupiter.api.Nested;

/** The handshakes on soft-RoCE. */
@OnRxe
class RxeHandshakeTest {
    @Nested
    class ServerUnderRawClient extends ServerUnderRawClientTest {
        ServerUnderRawClient(EndpointKind kind) {
            super(kind);
        }
    }

    @Nested
    class ClientUnderRawServer extends ClientUnderRawServerTest {
        ClientUnderRawServer(EndpointKind kind) {
            super(kind);
        }
    }

    @Nested
    class EarlyMessages extends EarlyMessagesTest {}

    @Nested
    class RdmaCm extends RdmaCmTest {}
}
