// SPDX-License-Identifier: Apache-2.0

/**
 * {@code verbena rping}: the Java version of the C program {@code rping}. Either side may be the C
 * program.
 *
 * <p>Client and server connect through the connection manager. For each ping the client sends the
 * location of its data, the server reads it, the client sends the location for the answer, and the
 * server writes it there.
 */
package io.verbena.cli.rping;
