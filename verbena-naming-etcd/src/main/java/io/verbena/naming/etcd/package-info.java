// SPDX-License-Identifier: Apache-2.0
/** Servers found and announced through etcd. */
package io.verbena.naming.etcd;
