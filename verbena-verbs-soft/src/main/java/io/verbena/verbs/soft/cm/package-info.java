// SPDX-License-Identifier: Apache-2.0
/** The connection manager of the software device. It uses devices only through the verbs API. */
package io.verbena.verbs.soft.cm;
