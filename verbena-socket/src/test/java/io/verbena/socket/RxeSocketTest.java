// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Sockets on the kernel's soft-RoCE, in the lab, with both ends on one device. */
@Tag("lab")
@EnabledIfSystemProperty(
        named = "verbena.transport.device",
        matches = ".+",
        disabledReason = "needs soft-RoCE: run it by ./verbena lab tests")
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class RxeSocketTest {
    @Nested
    class Sockets extends RdmaSocketTest {}

    @Nested
    class SeedProtocol extends SeedProtocolTest {}
}
