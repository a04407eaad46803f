// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import org.junit.jupiter.api.Nested;

/** The endpoints on soft-RoCE. */
@OnRxe
class RxeEndpointTest {
    @Nested
    class QueuePairEndpoint extends QueuePairEndpointTest {}

    @Nested
    class PathSettings extends PathSettingsTest {}

    @Nested
    class WireRules extends WireRulesTest {}

    @Nested
    class IdentifierEndpoint extends IdentifierEndpointTest {}

    @Nested
    class ConcurrentWriters extends ConcurrentWritersTest {}
}
