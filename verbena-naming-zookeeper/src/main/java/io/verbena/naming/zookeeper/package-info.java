// SPDX-License-Identifier: Apache-2.0
/** Servers found and announced through ZooKeeper. */
package io.verbena.naming.zookeeper;
