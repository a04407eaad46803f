// SPDX-License-Identifier: Apache-2.0

/**
 * {@code verbena rping}: the program that is called {@code rping} in C, too. Either side may be the
 * C program.
 *
 * <p>Client and server meet through the connection manager. For each ping the client says where its
 * data is, the server reads it, the client says where the answer may go, and the server writes it
 * there.
 */
package io.verbena.cli.rping;
