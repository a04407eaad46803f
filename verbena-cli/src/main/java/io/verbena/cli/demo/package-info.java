// SPDX-License-Identifier: Apache-2.0

/** {@code verbena demo}: two processes that exchange data and show how fast. */
package io.verbena.cli.demo;
