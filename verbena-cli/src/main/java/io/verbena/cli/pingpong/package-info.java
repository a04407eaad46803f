// SPDX-License-Identifier: Apache-2.0

/**
 * {@code verbena rc-pingpong}: the program that is called {@code ibv_rc_pingpong} in C. Either side
 * may be the C program.
 *
 * <p>Two sides tell each other over TCP how to reach their queue pairs, then send one message back
 * and forth.
 */
package io.verbena.cli.pingpong;
