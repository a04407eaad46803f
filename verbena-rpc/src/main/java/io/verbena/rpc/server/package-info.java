// SPDX-License-Identifier: Apache-2.0
/**
 * The methods a server offers: finding them by name, counting their calls, and limiting how many
 * run at a time. Knows nothing about connections and protocols; depends on {@code wire} and {@code
 * spi} only.
 */
package io.verbena.rpc.server;
