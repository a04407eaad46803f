// SPDX-License-Identifier: Apache-2.0
/**
 * Where others plug in: registries that know which servers there are, and balancers that choose
 * among them. Both are found by {@link java.util.ServiceLoader}.
 */
package io.verbena.rpc.spi;
