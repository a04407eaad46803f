// SPDX-License-Identifier: Apache-2.0
/**
 * What the clients of registries share: the form of their addresses ({@link
 * io.verbena.naming.RegistryAddress}), of the servers they list ({@link
 * io.verbena.naming.ListedServers}), announcements that have to be renewed ({@link
 * io.verbena.naming.RenewedRegistration}), and HTTP with JSON ({@link
 * io.verbena.naming.RestClient}).
 *
 * <p>For the modules of the registries, and for those of others who write one.
 */
package io.verbena.naming;
