// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.rpc.spi.NamingService;
import io.verbena.rpc.spi.ServerNode;

/**
 * A name in a registry.
 *
 * @param naming the registry
 * @param name the name, without the scheme
 */
record NamedServers(NamingService naming, String name) {
    NamingService.Watch watch(NamingService.Listener listener) {
        return naming.watch(name, listener);
    }

    NamingService.Registration register(ServerNode server) {
        return naming.register(name, server);
    }
}
