// SPDX-License-Identifier: Apache-2.0

/**
 * {@code verbena rc-pingpong}: the Java version of the C program {@code ibv_rc_pingpong}. Either
 * side may be the C program.
 *
 * <p>The two sides exchange over TCP how to reach their queue pairs, then send one message back and
 * forth.
 */
package io.verbena.cli.pingpong;
