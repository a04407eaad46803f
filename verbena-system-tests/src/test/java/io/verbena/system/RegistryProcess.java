// SPDX-License-Identifier: Apache-2.0

package io.verbena.system;

import io.verbena.rpc.spi.NamingService;
import io.verbena.rpc.spi.ServerNode;
import java.util.List;
import java.util.ServiceLoader;
import java.util.concurrent.CopyOnWriteArrayList;

/** A registry in a process of its own, which can be killed and started again with its data. */
interface RegistryProcess extends AutoCloseable {
    /** {@return the address of a name in it; valid before it is started} */
    String url(String name);

    /** {@return what it lists under a name now, as a new watch is told} */
    default List<ServerNode> listed(String name) {
        String[] url = url(name).split("://", 2);
        NamingService naming =
                ServiceLoader.load(NamingService.class).stream()
                        .map(ServiceLoader.Provider::get)
                        .filter(each -> each.scheme().equals(url[0]))
                        .findFirst()
                        .orElseThrow();
        List<ServerNode> servers = new CopyOnWriteArrayList<>();
        try (NamingService.Watch _ = naming.watch(url[1], servers::addAll)) {
            return List.copyOf(servers);
        }
    }

    /** Starts it, and waits until it answers. */
    void start() throws InterruptedException;

    /** Kills it immediately, and waits until it is gone. */
    void kill() throws InterruptedException;

    long pid();

    @Override
    void close();
}
