// SPDX-License-Identifier: Apache-2.0

/** {@code bench socket} and {@code bench mq}: sockets and the message queue. */
package io.verbena.bench.socket;
