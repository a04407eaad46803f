// SPDX-License-Identifier: Apache-2.0

package io.verbena.lab;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/**
 * Tests that need the lab's guest with its device {@link Guest#DEVICE}; elsewhere they are skipped.
 * In an emulated guest a JVM takes seconds to start, so each test has minutes.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Tag("lab")
@EnabledIfEnvironmentVariable(
        named = "VERBENA_LAB",
        matches = "guest",
        disabledReason = "needs soft-RoCE: run it by ./verbena lab run")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
@interface InLab {}
