// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Calls on the kernel's soft-RoCE, in the lab: brpc's cases, both ends ours, on one device. */
@Tag("lab")
@EnabledIfSystemProperty(
        named = "verbena.transport.device",
        matches = ".+",
        disabledReason = "needs soft-RoCE: run it by ./verbena lab tests")
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class RxeRpcTest {
    @Nested
    class RdmaCases extends RdmaCasesTest {}

    @Nested
    class GeneratedStubs extends GeneratedStubsOnRdmaTest {}
}
