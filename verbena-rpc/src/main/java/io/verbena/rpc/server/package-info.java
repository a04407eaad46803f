// SPDX-License-Identifier: Apache-2.0
/**
 * The seam between a server and the protocols it speaks. A protocol recognises its messages on a
 * connection, hands calls to the server, and is given their answers.
 */
package io.verbena.rpc.server;
