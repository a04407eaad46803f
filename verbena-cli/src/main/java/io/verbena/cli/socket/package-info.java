// SPDX-License-Identifier: Apache-2.0

/** {@code verbena socket} and {@code verbena mq}. */
package io.verbena.cli.socket;
