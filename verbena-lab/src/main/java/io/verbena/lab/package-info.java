// SPDX-License-Identifier: Apache-2.0
/**
 * Tests that need the lab. Those tagged {@code lab} run inside its guest; those tagged {@code
 * lab-host} run on the host, and start guests themselves.
 */
package io.verbena.lab;
