// SPDX-License-Identifier: Apache-2.0
/**
 * Shared by the modules above this one and hidden from users: the package is exported to those
 * modules only.
 */
package io.verbena.memory.internal;
