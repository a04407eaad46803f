// SPDX-License-Identifier: Apache-2.0
/**
 * What the modules above this one share and users do not see: the module exports it to them alone.
 */
package io.verbena.memory.internal;
