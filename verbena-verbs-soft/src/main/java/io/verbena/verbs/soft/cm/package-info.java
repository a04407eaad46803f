// SPDX-License-Identifier: Apache-2.0
/** The connection manager of the software device. It knows devices by the vocabulary alone. */
package io.verbena.verbs.soft.cm;
