// SPDX-License-Identifier: Apache-2.0

/** Programs that serve and make calls, and what they share. */
package io.verbena.cli.rpc;
