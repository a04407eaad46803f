// SPDX-License-Identifier: Apache-2.0
package io.verbena.spring;

import io.verbena.rpc.RpcNode;
import io.verbena.rpc.RpcService;
import io.verbena.rpc.Server;
import io.verbena.rpc.ServerInterceptor;
import io.verbena.rpc.ServerOptions;
import java.util.List;
import java.util.Optional;
import org.springframework.context.SmartLifecycle;

/**
 * Runs the application's services: begins to listen when all beans are there, and lets calls finish
 * before any of them is destroyed. Spring calls it from one thread at a time.
 */
public final class VerbenaServer implements SmartLifecycle {
    private final RpcNode node;
    private final VerbenaProperties properties;
    private final List<RpcService> services;
    private final List<ServerInterceptor> interceptors;
    private volatile Optional<Server> running = Optional.empty();

    VerbenaServer(
            RpcNode node,
            VerbenaProperties properties,
            List<RpcService> services,
            List<ServerInterceptor> interceptors) {
        this.node = node;
        this.properties = properties;
        this.services = services;
        this.interceptors = interceptors;
    }

    @Override
    public void start() {
        Server server = new Server(node);
        services.forEach(server::add);
        server.start(
                properties.server().port(),
                ServerOptions.DEFAULT
                        .withSocketMode(properties.mode())
                        .withInterceptors(interceptors.toArray(ServerInterceptor[]::new)));
        running = Optional.of(server);
    }

    @Override
    public void stop() {
        running.ifPresent(server -> server.close(properties.server().closeTimeout()));
        running = Optional.empty();
    }

    @Override
    public boolean isRunning() {
        return running.isPresent();
    }

    /** {@return the server, while it runs} */
    public Optional<Server> server() {
        return running;
    }
}
