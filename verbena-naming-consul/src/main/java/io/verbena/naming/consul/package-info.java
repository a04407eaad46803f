// SPDX-License-Identifier: Apache-2.0
/** Servers found and announced through Consul. */
package io.verbena.naming.consul;
