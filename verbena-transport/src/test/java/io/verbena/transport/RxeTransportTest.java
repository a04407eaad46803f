// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * The tests that touch a device, on the kernel's soft-RoCE, in the lab: both ends on one device.
 * The guest is emulated, so a test has minutes.
 */
@Tag("lab")
@EnabledIfSystemProperty(
        named = "verbena.transport.device",
        matches = ".+",
        disabledReason = "needs soft-RoCE: run it by ./verbena lab tests")
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class RxeTransportTest {
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
    class RdmaConnection extends RdmaConnectionTest {}

    @Nested
    class RdmaCm extends RdmaCmTest {}

    @Nested
    class QueuePairEndpoint extends QueuePairEndpointTest {}

    @Nested
    class WireRules extends WireRulesTest {}

    @Nested
    class IdentifierEndpoint extends IdentifierEndpointTest {}

    @Nested
    class ConcurrentWriters extends ConcurrentWritersTest {}
}
