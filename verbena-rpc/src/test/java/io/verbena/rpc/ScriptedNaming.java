// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.rpc.spi.NamingService;
import io.verbena.rpc.spi.ServerNode;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;

/** A registry whose reports a test decides. */
final class ScriptedNaming implements NamingService {
    private final List<Listener> listeners = new CopyOnWriteArrayList<>();
    private final List<ServerNode> servers = new CopyOnWriteArrayList<>();
    private Runnable closing = () -> {};
    private Runnable registering = () -> {};

    ScriptedNaming(List<ServerNode> first) {
        servers.addAll(first);
    }

    NamedServers named() {
        return new NamedServers(this, "");
    }

    void failToClose(Runnable thrower) {
        closing = thrower;
    }

    /** Runs something while a server is being announced. */
    void whileRegistering(Runnable action) {
        registering = action;
    }

    /** {@return the servers that are announced} */
    List<ServerNode> servers() {
        return List.copyOf(servers);
    }

    void report(List<ServerNode> list) {
        listeners.forEach(listener -> listener.onServers(list));
    }

    void fail(Runnable thrower) {
        try {
            thrower.run();
        } catch (Throwable e) {
            listeners.forEach(listener -> listener.onFailure(e));
        }
    }

    @Override
    public String scheme() {
        return "test";
    }

    @Override
    public Watch watch(String name, Listener listener) {
        listener.onServers(new ArrayList<>(servers));
        listeners.add(listener);
        return () -> {
            listeners.remove(listener);
            closing.run();
        };
    }

    @Override
    public Registration register(String name, ServerNode server) {
        registering.run();
        servers.add(server);
        report(new ArrayList<>(servers));
        AtomicBoolean isListed = new AtomicBoolean(true);
        return new Registration() {
            @Override
            public boolean isListed() {
                return isListed.get();
            }

            @Override
            public void close() {
                if (isListed.getAndSet(false)) {
                    servers.remove(server);
                    report(new ArrayList<>(servers));
                }
            }
        };
    }
}
