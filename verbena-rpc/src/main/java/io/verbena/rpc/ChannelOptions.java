// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.transport.SocketMode;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * The settings of a channel, by brpc's names. Immutable.
 *
 * {@snippet :
 * ChannelOptions options =
 * ChannelOptions.DEFAULT.withSocketMode(SocketMode.RDMA).withTimeoutMs(100); }
 */
public final class ChannelOptions {
    /** The wire format of brpc. */
    public static final String BAIDU_STD = "baidu_std";

    /**
     * brpc's values, except for the time limits: those suit a JVM, which loads classes, compiles
     * and collects garbage, and connecting has a limit of its own.
     */
    public static final ChannelOptions DEFAULT = new ChannelOptions();

    /** Every option has brpc's value: 500 ms for a call, 200 ms of them for connecting. */
    public static final ChannelOptions BRPC =
            DEFAULT.withTimeoutMs(500)
                    .withConnectTimeoutMs(200)
                    .withConnectingCounted(true)
                    .withCluster(ClusterOptions.BRPC);

    private int connectTimeoutMs = 3000;
    private boolean isConnectingCounted = false;
    private int timeoutMs = 2000;
    private int backupRequestMs = -1;
    private int maxRetry = 3;
    private String protocol = BAIDU_STD;
    private ConnectionType connectionType = ConnectionType.SINGLE;
    private SocketMode socketMode = SocketMode.TCP;
    private String connectionGroup = "";
    private Optional<Authenticator> auth = Optional.empty();
    private boolean succeedWithoutServer = true;
    private boolean isSsl = false;
    private boolean isRdmaFailureRetriedOnTcp = false;
    private boolean isCallbackInline = false;
    private List<ClientInterceptor> interceptors = List.of();
    private RetryPolicy retryPolicy = RetryPolicy.DEFAULT;
    private ClusterOptions cluster = ClusterOptions.DEFAULT;

    private ChannelOptions() {}

    private ChannelOptions(ChannelOptions other) {
        connectTimeoutMs = other.connectTimeoutMs;
        isConnectingCounted = other.isConnectingCounted;
        timeoutMs = other.timeoutMs;
        backupRequestMs = other.backupRequestMs;
        maxRetry = other.maxRetry;
        protocol = other.protocol;
        connectionType = other.connectionType;
        socketMode = other.socketMode;
        connectionGroup = other.connectionGroup;
        auth = other.auth;
        succeedWithoutServer = other.succeedWithoutServer;
        isSsl = other.isSsl;
        isRdmaFailureRetriedOnTcp = other.isRdmaFailureRetriedOnTcp;
        isCallbackInline = other.isCallbackInline;
        interceptors = other.interceptors;
        retryPolicy = other.retryPolicy;
        cluster = other.cluster;
    }

    /** {@return how long connecting may take} */
    public int connectTimeoutMs() {
        return connectTimeoutMs;
    }

    /**
     * {@return a copy with another {@link #connectTimeoutMs()}}
     *
     * @param value the new value
     */
    public ChannelOptions withConnectTimeoutMs(int value) {
        Options.require(value >= 1, "connect_timeout_ms", value, ">= 1");
        ChannelOptions changed = new ChannelOptions(this);
        changed.connectTimeoutMs = value;
        return changed;
    }

    /**
     * {@return whether the time that connecting takes counts as time of the call} If not, the
     * {@link #timeoutMs()} of a call that has to connect begins when it is connected, at most
     * {@link #connectTimeoutMs()} after the call began.
     */
    public boolean isConnectingCounted() {
        return isConnectingCounted;
    }

    /**
     * {@return a copy with another {@link #isConnectingCounted()}}
     *
     * @param value the new value
     */
    public ChannelOptions withConnectingCounted(boolean value) {
        ChannelOptions changed = new ChannelOptions(this);
        changed.isConnectingCounted = value;
        return changed;
    }

    /** {@return how long a call may take over all its tries; -1 means no limit} */
    public int timeoutMs() {
        return timeoutMs;
    }

    /**
     * {@return a copy with another {@link #timeoutMs()}}
     *
     * @param value the new value
     */
    public ChannelOptions withTimeoutMs(int value) {
        Options.require(value >= -1, "timeout_ms", value, ">= 0, or -1 for no limit");
        ChannelOptions changed = new ChannelOptions(this);
        changed.timeoutMs = value;
        return changed;
    }

    /** {@return after how long without an answer a backup request is sent; -1 means never} */
    public int backupRequestMs() {
        return backupRequestMs;
    }

    /**
     * {@return a copy with another {@link #backupRequestMs()}}
     *
     * @param value the new value
     */
    public ChannelOptions withBackupRequestMs(int value) {
        Options.require(value >= -1, "backup_request_ms", value, ">= 0, or -1 for never");
        ChannelOptions changed = new ChannelOptions(this);
        changed.backupRequestMs = value;
        return changed;
    }

    /** {@return how many times a call is retried} */
    public int maxRetry() {
        return maxRetry;
    }

    /**
     * {@return a copy with another {@link #maxRetry()}}
     *
     * @param value the new value
     */
    public ChannelOptions withMaxRetry(int value) {
        Options.require(value >= 0, "max_retry", value, ">= 0");
        ChannelOptions changed = new ChannelOptions(this);
        changed.maxRetry = value;
        return changed;
    }

    /** {@return which failures are retried, and when} */
    public RetryPolicy retryPolicy() {
        return retryPolicy;
    }

    /**
     * {@return a copy with another {@link #retryPolicy()}}
     *
     * @param value the new value
     */
    public ChannelOptions withRetryPolicy(RetryPolicy value) {
        ChannelOptions changed = new ChannelOptions(this);
        changed.retryPolicy = Objects.requireNonNull(value, "value");
        return changed;
    }

    /** {@return how its servers are treated when they are several, or fail} */
    public ClusterOptions cluster() {
        return cluster;
    }

    /**
     * {@return a copy with another {@link #cluster()}}
     *
     * @param value the new value
     */
    public ChannelOptions withCluster(ClusterOptions value) {
        ChannelOptions changed = new ChannelOptions(this);
        changed.cluster = Objects.requireNonNull(value, "value");
        return changed;
    }

    /** {@return the interceptors around each call, the outermost first} */
    public List<ClientInterceptor> interceptors() {
        return interceptors;
    }

    /**
     * {@return a copy with other {@link #interceptors()}}
     *
     * @param values all interceptors, the outermost first
     */
    public ChannelOptions withInterceptors(ClientInterceptor... values) {
        ChannelOptions changed = new ChannelOptions(this);
        changed.interceptors = List.of(values);
        return changed;
    }

    /** {@return the wire format} */
    public String protocol() {
        return protocol;
    }

    /**
     * {@return a copy with another {@link #protocol()}}
     *
     * @param value the new value
     */
    public ChannelOptions withProtocol(String value) {
        ChannelOptions changed = new ChannelOptions(this);
        changed.protocol = value;
        return changed;
    }

    /** {@return how calls share connections} */
    public ConnectionType connectionType() {
        return connectionType;
    }

    /**
     * {@return a copy with another {@link #connectionType()}}
     *
     * @param value the new value
     */
    public ChannelOptions withConnectionType(ConnectionType value) {
        ChannelOptions changed = new ChannelOptions(this);
        changed.connectionType = value;
        return changed;
    }

    /** {@return whether connections ask for RDMA} */
    public SocketMode socketMode() {
        return socketMode;
    }

    /**
     * {@return a copy with another {@link #socketMode()}}
     *
     * @param value the new value
     */
    public ChannelOptions withSocketMode(SocketMode value) {
        ChannelOptions changed = new ChannelOptions(this);
        changed.socketMode = value;
        return changed;
    }

    /** {@return a name; only channels with the same one share connections} */
    public String connectionGroup() {
        return connectionGroup;
    }

    /**
     * {@return a copy with another {@link #connectionGroup()}}
     *
     * @param value the new value
     */
    public ChannelOptions withConnectionGroup(String value) {
        ChannelOptions changed = new ChannelOptions(this);
        changed.connectionGroup = value;
        return changed;
    }

    /** {@return the authenticator that provides this client's credential} */
    public Optional<Authenticator> auth() {
        return auth;
    }

    /**
     * {@return a copy with another {@link #auth()}}
     *
     * @param value the new value
     */
    public ChannelOptions withAuth(Authenticator value) {
        ChannelOptions changed = new ChannelOptions(this);
        changed.auth = Optional.of(value);
        return changed;
    }

    /** {@return whether a channel opens even if there is no server yet} */
    public boolean succeedWithoutServer() {
        return succeedWithoutServer;
    }

    /**
     * {@return a copy with another {@link #succeedWithoutServer()}}
     *
     * @param value the new value
     */
    public ChannelOptions withSucceedWithoutServer(boolean value) {
        ChannelOptions changed = new ChannelOptions(this);
        changed.succeedWithoutServer = value;
        return changed;
    }

    /** {@return whether connections are encrypted; not together with RDMA} */
    public boolean isSsl() {
        return isSsl;
    }

    /**
     * {@return a copy with another {@link #isSsl()}}
     *
     * @param value the new value
     */
    public ChannelOptions withSsl(boolean value) {
        ChannelOptions changed = new ChannelOptions(this);
        changed.isSsl = value;
        return changed;
    }

    /**
     * {@return whether a call that failed with ERDMA or ERDMAMEM is retried over TCP; in brpc such
     * a call fails}
     */
    public boolean isRdmaFailureRetriedOnTcp() {
        return isRdmaFailureRetriedOnTcp;
    }

    /**
     * {@return a copy with another {@link #isRdmaFailureRetriedOnTcp()}}
     *
     * @param value the new value
     */
    public ChannelOptions withRdmaFailureRetriedOnTcp(boolean value) {
        ChannelOptions changed = new ChannelOptions(this);
        changed.isRdmaFailureRetriedOnTcp = value;
        return changed;
    }

    /**
     * {@return whether callbacks run on the thread that received the answer: faster, but they must
     * not block; not in brpc}
     */
    public boolean isCallbackInline() {
        return isCallbackInline;
    }

    /**
     * {@return a copy with another {@link #isCallbackInline()}}
     *
     * @param value the new value
     */
    public ChannelOptions withCallbackInline(boolean value) {
        ChannelOptions changed = new ChannelOptions(this);
        changed.isCallbackInline = value;
        return changed;
    }

    /**
     * Rejects options that cannot work. Called when a channel is opened, as in brpc's {@code
     * Channel::Init}.
     *
     * @param others the protocols that are there besides baidu_std
     */
    void check(Set<String> others) {
        boolean isRdma = socketMode == SocketMode.RDMA;
        Options.require(
                protocol.equals(BAIDU_STD) || others.contains(protocol),
                "protocol",
                protocol,
                others.isEmpty()
                        ? isRdma ? "baidu_std; no other protocol runs over RDMA" : BAIDU_STD
                        : "baidu_std, or one of " + others);
        Options.require(
                !isSsl,
                "ssl_options",
                "set",
                isRdma ? "none with socket_mode RDMA" : "none; channels have no TLS yet");
    }
}
