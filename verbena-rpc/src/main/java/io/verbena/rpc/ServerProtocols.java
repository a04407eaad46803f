// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.completion.Faults;
import io.verbena.rpc.spi.ProtocolProvider;
import io.verbena.rpc.spi.ServerProtocol;
import io.verbena.rpc.spi.ServerView;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The protocols that one server speaks, on its port and on its internal port, if any. */
final class ServerProtocols implements AutoCloseable {
    private final Map<ProtocolProvider, ServerProtocol> open = new LinkedHashMap<>();
    private final ServerOptions options;

    private ServerProtocols(ServerOptions options) {
        this.options = options;
    }

    /**
     * {@return the protocols of a starting server}
     *
     * @param server the server
     * @param options its settings, which say what is enabled
     * @param providers all providers, in the order in which they are tried
     */
    static ServerProtocols open(
            ServerView server, ServerOptions options, List<ProtocolProvider> providers) {
        ServerProtocols protocols = new ServerProtocols(options);
        try {
            for (ProtocolProvider provider : providers) {
                if (protocols.isPublic(provider) || protocols.isInternal(provider)) {
                    protocols.open.put(provider, provider.open(server));
                }
            }
        } catch (RuntimeException e) {
            protocols.close();
            throw e;
        }
        return protocols;
    }

    private boolean isPublic(ProtocolProvider provider) {
        List<String> enabled = options.enabledProtocolNames();
        return enabled.isEmpty() || enabled.contains(provider.name());
    }

    private boolean isInternal(ProtocolProvider provider) {
        return options.internalPort() >= 0 && provider.hasPages();
    }

    /** {@return the public port} */
    ServerPort publicPort() {
        boolean hasPages = options.hasBuiltinServices() && options.internalPort() < 0;
        return port(open.keySet().stream().filter(this::isPublic).toList(), true, hasPages);
    }

    /** {@return the port for pages alone} */
    Optional<ServerPort> internalPort() {
        return options.internalPort() < 0
                ? Optional.empty()
                : Optional.of(
                        port(
                                open.keySet().stream().filter(this::isInternal).toList(),
                                false,
                                options.hasBuiltinServices()));
    }

    private ServerPort port(List<ProtocolProvider> spoken, boolean hasCalls, boolean hasPages) {
        return new ServerPort(
                spoken.stream().map(ProtocolProvider::name).toList(),
                spoken.stream().map(open::get).toList(),
                hasCalls,
                hasPages);
    }

    /** The server accepts no more calls. */
    void stop() {
        open.values().forEach(ServerProtocols::stop);
    }

    private static void stop(ServerProtocol protocol) {
        try {
            protocol.onStop();
        } catch (Throwable e) {
            Faults.warn(ServerProtocols.class, "stopping failed", protocol, e);
        }
    }

    @Override
    public void close() {
        open.values().forEach(ServerProtocols::close);
    }

    private static void close(ServerProtocol protocol) {
        try {
            protocol.close();
        } catch (Throwable e) {
            Faults.warn(ServerProtocols.class, "closing failed", protocol, e);
        }
    }
}
