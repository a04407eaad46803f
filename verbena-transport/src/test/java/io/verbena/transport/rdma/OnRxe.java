// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Tests that run in the lab, on the kernel's soft-RoCE, with both ends on one device. The guest is
 * emulated, so a test has minutes.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Tag("lab")
@EnabledIfSystemProperty(
        named = "verbena.transport.device",
        matches = ".+",
        disabledReason = "needs soft-RoCE: run it by ./verbena lab tests")
@Timeout(value = 5, unit = TimeUnit.MINUTES)
public @interface OnRxe {}
