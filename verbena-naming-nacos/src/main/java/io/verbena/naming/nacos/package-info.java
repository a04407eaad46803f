// SPDX-License-Identifier: Apache-2.0
/** Servers found and announced through Nacos. */
package io.verbena.naming.nacos;
