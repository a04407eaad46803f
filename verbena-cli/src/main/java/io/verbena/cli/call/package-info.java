// SPDX-License-Identifier: Apache-2.0
/** {@code verbena call}: calls any method of any server, with JSON. */
package io.verbena.cli.call;
