// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.rpc.spi.ServerProtocol;
import java.util.List;

/**
 * What is spoken and offered on one port of a server.
 *
 * @param names the names of the protocols
 * @param protocols the protocols, in the order in which they are tried
 * @param hasCalls whether services can be called there
 * @param hasPages whether pages can be seen there
 */
record ServerPort(
        List<String> names, List<ServerProtocol> protocols, boolean hasCalls, boolean hasPages) {}
