// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.rpc.spi.ProtocolProvider;
import io.verbena.transport.ServerSslOptions;
import io.verbena.transport.SocketMode;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** The settings of a server, by brpc's names and with brpc's values. Immutable. */
public final class ServerOptions {
    /** Every option has brpc's value. */
    public static final ServerOptions DEFAULT = new ServerOptions();

    private SocketMode socketMode = SocketMode.TCP;
    private int idleTimeoutSec = -1;
    private int maxConcurrency = 0;
    private String methodMaxConcurrency = "unlimited";
    private int internalPort = -1;
    private boolean hasBuiltinServices = true;
    private Optional<Authenticator> auth = Optional.empty();
    private Optional<Interceptor> interceptor = Optional.empty();
    private List<ServerInterceptor> interceptors = List.of();
    private boolean ignoreEovercrowded = false;
    private String enabledProtocols = "";
    private boolean isForceSsl = false;
    private Optional<ServerSslOptions> sslOptions = Optional.empty();
    private PageAccess pageAccess = PageAccess.DEFAULT;

    private ServerOptions() {}

    private ServerOptions(ServerOptions other) {
        socketMode = other.socketMode;
        idleTimeoutSec = other.idleTimeoutSec;
        maxConcurrency = other.maxConcurrency;
        methodMaxConcurrency = other.methodMaxConcurrency;
        internalPort = other.internalPort;
        hasBuiltinServices = other.hasBuiltinServices;
        auth = other.auth;
        interceptor = other.interceptor;
        interceptors = other.interceptors;
        ignoreEovercrowded = other.ignoreEovercrowded;
        enabledProtocols = other.enabledProtocols;
        isForceSsl = other.isForceSsl;
        sslOptions = other.sslOptions;
        pageAccess = other.pageAccess;
    }

    /** {@return what the server offers to clients that ask for RDMA} */
    public SocketMode socketMode() {
        return socketMode;
    }

    /**
     * {@return a copy with another {@link #socketMode()}}
     *
     * @param value the new value
     */
    public ServerOptions withSocketMode(SocketMode value) {
        ServerOptions changed = new ServerOptions(this);
        changed.socketMode = value;
        return changed;
    }

    /** {@return after how many seconds without traffic a connection is closed; -1 means never} */
    public int idleTimeoutSec() {
        return idleTimeoutSec;
    }

    /**
     * {@return a copy with another {@link #idleTimeoutSec()}}
     *
     * @param value the new value
     */
    public ServerOptions withIdleTimeoutSec(int value) {
        Options.require(
                value == -1 || value >= 1, "idle_timeout_sec", value, ">= 1, or -1 for never");
        ServerOptions changed = new ServerOptions(this);
        changed.idleTimeoutSec = value;
        return changed;
    }

    /** {@return the limit on concurrent calls; 0 means no limit} */
    public int maxConcurrency() {
        return maxConcurrency;
    }

    /**
     * {@return a copy with another {@link #maxConcurrency()}}
     *
     * @param value the new value
     */
    public ServerOptions withMaxConcurrency(int value) {
        Options.require(value >= 0, "max_concurrency", value, ">= 0");
        ServerOptions changed = new ServerOptions(this);
        changed.maxConcurrency = value;
        return changed;
    }

    /**
     * {@return the limit of methods without one of their own: unlimited, a number, auto or timeout}
     */
    public String methodMaxConcurrency() {
        return methodMaxConcurrency;
    }

    /**
     * {@return a copy with another {@link #methodMaxConcurrency()}}
     *
     * @param value the new value
     */
    public ServerOptions withMethodMaxConcurrency(String value) {
        ServerOptions changed = new ServerOptions(this);
        changed.methodMaxConcurrency = value;
        return changed;
    }

    /**
     * {@return a separate port for the pages that show the server's state; -1 means the same port}
     * Needs a protocol with pages: verbena-http on the path.
     */
    public int internalPort() {
        return internalPort;
    }

    /**
     * {@return a copy with another {@link #internalPort()}}
     *
     * @param value the new value
     */
    public ServerOptions withInternalPort(int value) {
        Options.require(value >= -1 && value <= 65535, "internal_port", value, "0..65535, or -1");
        ServerOptions changed = new ServerOptions(this);
        changed.internalPort = value;
        return changed;
    }

    /** {@return whether there are pages that show the server's state} */
    public boolean hasBuiltinServices() {
        return hasBuiltinServices;
    }

    /**
     * {@return a copy with another {@link #hasBuiltinServices()}}
     *
     * @param value the new value
     */
    public ServerOptions withHasBuiltinServices(boolean value) {
        ServerOptions changed = new ServerOptions(this);
        changed.hasBuiltinServices = value;
        return changed;
    }

    /** {@return who may see the pages, and who may change flags there} */
    public PageAccess pageAccess() {
        return pageAccess;
    }

    /**
     * {@return a copy with another {@link #pageAccess()}}
     *
     * @param value the new value
     */
    public ServerOptions withPageAccess(PageAccess value) {
        ServerOptions changed = new ServerOptions(this);
        changed.pageAccess = Objects.requireNonNull(value, "value");
        return changed;
    }

    /** {@return the authenticator that verifies clients' credentials} */
    public Optional<Authenticator> auth() {
        return auth;
    }

    /**
     * {@return a copy with another {@link #auth()}}
     *
     * @param value the new value
     */
    public ServerOptions withAuth(Authenticator value) {
        ServerOptions changed = new ServerOptions(this);
        changed.auth = Optional.of(value);
        return changed;
    }

    /** {@return the interceptor that sees each request before its service} */
    public Optional<Interceptor> interceptor() {
        return interceptor;
    }

    /**
     * {@return a copy with another {@link #interceptor()}}
     *
     * @param value the new value
     */
    public ServerOptions withInterceptor(Interceptor value) {
        ServerOptions changed = new ServerOptions(this);
        changed.interceptor = Optional.of(value);
        return changed;
    }

    /** {@return the interceptors around each call, the outermost first} */
    public List<ServerInterceptor> interceptors() {
        return interceptors;
    }

    /**
     * {@return a copy with other {@link #interceptors()}}
     *
     * @param values all interceptors, the outermost first
     */
    public ServerOptions withInterceptors(ServerInterceptor... values) {
        ServerOptions changed = new ServerOptions(this);
        changed.interceptors = List.of(values);
        return changed;
    }

    /** {@return whether requests are accepted on connections whose answers pile up} */
    public boolean ignoreEovercrowded() {
        return ignoreEovercrowded;
    }

    /**
     * {@return a copy with another {@link #ignoreEovercrowded()}}
     *
     * @param value the new value
     */
    public ServerOptions withIgnoreEovercrowded(boolean value) {
        ServerOptions changed = new ServerOptions(this);
        changed.ignoreEovercrowded = value;
        return changed;
    }

    /**
     * {@return the names of the enabled protocols, separated by spaces; empty enables all: {@code
     * baidu_std}, and those whose modules are on the path, such as {@code http}}
     */
    public String enabledProtocols() {
        return enabledProtocols;
    }

    /**
     * {@return a copy with another {@link #enabledProtocols()}}
     *
     * @param value the new value
     */
    public ServerOptions withEnabledProtocols(String value) {
        ServerOptions changed = new ServerOptions(this);
        changed.enabledProtocols = value;
        return changed;
    }

    /**
     * {@return how the server speaks TLS; empty means not at all} With these options its port takes
     * clients with and without TLS, unless {@link #isForceSsl()} or they say otherwise.
     */
    public Optional<ServerSslOptions> sslOptions() {
        return isForceSsl ? sslOptions.map(ssl -> ssl.withPlainRefused(true)) : sslOptions;
    }

    /**
     * {@return a copy with {@link #sslOptions()}}
     *
     * @param value how it speaks TLS
     */
    public ServerOptions withSslOptions(ServerSslOptions value) {
        ServerOptions changed = new ServerOptions(this);
        changed.sslOptions = Optional.of(value);
        return changed;
    }

    /** {@return whether only encrypted connections are accepted; not together with RDMA} */
    public boolean isForceSsl() {
        return isForceSsl;
    }

    /**
     * {@return a copy with another {@link #isForceSsl()}}
     *
     * @param value the new value
     */
    public ServerOptions withForceSsl(boolean value) {
        ServerOptions changed = new ServerOptions(this);
        changed.isForceSsl = value;
        return changed;
    }

    /**
     * Rejects options that cannot work. Called when a server starts, as in brpc's {@code
     * Server::Start}.
     *
     * @param protocols all protocols that servers of this process can speak
     */
    void check(List<ProtocolProvider> protocols) {
        boolean isRdma = socketMode == SocketMode.RDMA;
        Options.require(
                !isForceSsl || !isRdma,
                "force_ssl",
                true,
                "false with socket_mode RDMA, which is not encrypted; see"
                        + " ServerSslOptions.withPlainRefused");
        Options.require(
                !isForceSsl || sslOptions.isPresent(),
                "force_ssl",
                true,
                "false without ssl_options");
        pageAccess.check(this);
        List<String> known = protocols.stream().map(ProtocolProvider::name).toList();
        for (String name : enabledProtocolNames()) {
            Options.require(
                    known.contains(name),
                    "enabled_protocols",
                    name,
                    known
                            + (isRdma ? "; nothing else runs over RDMA" : "")
                            + "; http comes with verbena-http");
        }
        Options.require(
                internalPort < 0 || protocols.stream().anyMatch(ProtocolProvider::hasPages),
                "internal_port",
                internalPort,
                "-1; pages come with verbena-http, which is not on the path");
    }

    /** {@return the enabled protocols; an empty list means all} */
    List<String> enabledProtocolNames() {
        return enabledProtocols.isBlank()
                ? List.of()
                : List.of(enabledProtocols.strip().split("\\s+"));
    }
}
