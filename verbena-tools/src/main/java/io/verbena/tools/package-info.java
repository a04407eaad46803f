// SPDX-License-Identifier: Apache-2.0

/**
 * What the programs of the command line share: options, child processes, and the service that
 * echoes.
 */
package io.verbena.tools;
