// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.Message;
import io.verbena.rpc.spi.ServerNode;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * How a channel treats its servers when they are several, or fail. Immutable.
 *
 * {@snippet :
 * ChannelOptions options =
 *         ChannelOptions.DEFAULT.withCluster(
 *                 ClusterOptions.DEFAULT.withCircuitBreaker(true).withZone("a"));
 * }
 */
public final class ClusterOptions {
    /** No filter, no circuit breaker, a budget of 10 retries per 100 calls. */
    public static final ClusterOptions DEFAULT = new ClusterOptions();

    /** brpc has no budget for retries, and believes each list. */
    static final ClusterOptions BRPC = DEFAULT.withRetryPercent(-1).withHoldListSeconds(0);

    private static final int UNLIMITED = -1;

    private Predicate<ServerNode> serverFilter = server -> true;
    private String zone = "";
    private int subsetSize = 0;
    private boolean hasCircuitBreaker = false;
    private int slowStartMs = 0;
    private int retryPercent = 10;
    private int minWorkingServers = 0;
    private int holdSeconds = 3;
    private int holdListSeconds = 20;
    private boolean isEager = false;
    private Optional<HealthCall> healthCall = Optional.empty();
    private String healthPath = "";

    private ClusterOptions() {}

    private ClusterOptions(ClusterOptions other) {
        serverFilter = other.serverFilter;
        zone = other.zone;
        subsetSize = other.subsetSize;
        hasCircuitBreaker = other.hasCircuitBreaker;
        slowStartMs = other.slowStartMs;
        retryPercent = other.retryPercent;
        minWorkingServers = other.minWorkingServers;
        holdSeconds = other.holdSeconds;
        holdListSeconds = other.holdListSeconds;
        isEager = other.isEager;
        healthCall = other.healthCall;
        healthPath = other.healthPath;
    }

    /** {@return which of the servers that a registry lists are called; brpc's ns_filter} */
    public Predicate<ServerNode> serverFilter() {
        return serverFilter;
    }

    /**
     * {@return a copy with another {@link #serverFilter()}}
     *
     * @param value called for each server of each list, by any thread
     */
    public ClusterOptions withServerFilter(Predicate<ServerNode> value) {
        ClusterOptions changed = new ClusterOptions(this);
        changed.serverFilter = Objects.requireNonNull(value, "value");
        return changed;
    }

    /** {@return the zone whose servers are preferred; empty means none} */
    public String zone() {
        return zone;
    }

    /**
     * {@return a copy with another {@link #zone()}} Servers whose tag says {@code zone=value} get
     * all calls as long as one of them is available.
     *
     * @param value the zone
     */
    public ClusterOptions withZone(String value) {
        ClusterOptions changed = new ClusterOptions(this);
        changed.zone = Objects.requireNonNull(value, "value");
        return changed;
    }

    /** {@return how many servers this channel uses of a large cluster; 0 means all} */
    public int subsetSize() {
        return subsetSize;
    }

    /**
     * {@return a copy with another {@link #subsetSize()}} Each channel chooses its own subset, at
     * random, and changes as little of it as it can when the list changes. The others are used
     * while none of the subset is available.
     *
     * @param value 0 or more
     */
    public ClusterOptions withSubsetSize(int value) {
        Options.require(value >= 0, "subset", value, ">= 0");
        ClusterOptions changed = new ClusterOptions(this);
        changed.subsetSize = value;
        return changed;
    }

    /** {@return whether servers that answer badly are left out for a while} */
    public boolean hasCircuitBreaker() {
        return hasCircuitBreaker;
    }

    /**
     * {@return a copy with another {@link #hasCircuitBreaker()}; brpc's enable_circuit_breaker}
     *
     * @param value the new value
     */
    public ClusterOptions withCircuitBreaker(boolean value) {
        ClusterOptions changed = new ClusterOptions(this);
        changed.hasCircuitBreaker = value;
        return changed;
    }

    /**
     * {@return for how long a server that is new, or back, gets fewer calls; 0 means not at all}
     */
    public int slowStartMs() {
        return slowStartMs;
    }

    /**
     * {@return a copy with another {@link #slowStartMs()}}
     *
     * @param value 0 or more
     */
    public ClusterOptions withSlowStartMs(int value) {
        Options.require(value >= 0, "slow start", value, ">= 0");
        ClusterOptions changed = new ClusterOptions(this);
        changed.slowStartMs = value;
        return changed;
    }

    /** {@return how many retries and backup requests are allowed per 100 calls; -1 means any} */
    public int retryPercent() {
        return retryPercent;
    }

    /**
     * {@return a copy with another {@link #retryPercent()}} What calls without retries leave over
     * is a reserve: as large as the same share of the calls of the last seconds, at least {@value
     * RetryBudget#LEAST_RESERVE} and at most {@value RetryBudget#MOST_RESERVE} retries. So a
     * channel with few calls can retry them, and only a lasting failure uses the budget up.
     *
     * @param value 0 or more, or -1
     */
    public ClusterOptions withRetryPercent(int value) {
        Options.require(value >= UNLIMITED, "retry percent", value, ">= 0, or -1 for any number");
        ClusterOptions changed = new ClusterOptions(this);
        changed.retryPercent = value;
        return changed;
    }

    /**
     * {@return with how many working servers a cluster has recovered; 0 means that every call is
     * let through}
     */
    public int minWorkingServers() {
        return minWorkingServers;
    }

    /** {@return for how many seconds the number of working servers must have been the same} */
    public int holdSeconds() {
        return holdSeconds;
    }

    /**
     * {@return a copy with a recovery policy, brpc's min_working_instances and hold_seconds} After
     * no server was available, the first ones that come back would get all calls, and fail again.
     * So a part of the calls is rejected with EREJECT until enough servers work.
     *
     * @param minWorking with how many servers the cluster has recovered
     * @param hold after how many seconds without a change it has recovered anyway
     */
    public ClusterOptions withRecovery(int minWorking, int hold) {
        Options.require(minWorking >= 0, "min_working_instances", minWorking, ">= 0");
        Options.require(hold >= 0, "hold_seconds", hold, ">= 0");
        ClusterOptions changed = new ClusterOptions(this);
        changed.minWorkingServers = minWorking;
        changed.holdSeconds = hold;
        return changed;
    }

    /**
     * {@return for how many seconds the last good list is used on when more than half of its
     * servers are suddenly missing; 0 means not at all}
     */
    public int holdListSeconds() {
        return holdListSeconds;
    }

    /**
     * {@return a copy with another {@link #holdListSeconds()}} A registry that was away for longer
     * than its sessions last forgets all servers at once, though they serve. They need some seconds
     * to announce themselves again. Only lists of {@value SuddenLoss#LEAST_SERVERS} servers or more
     * are held.
     *
     * @param value 0 or more
     */
    public ClusterOptions withHoldListSeconds(int value) {
        Options.require(value >= 0, "hold list seconds", value, ">= 0");
        ClusterOptions changed = new ClusterOptions(this);
        changed.holdListSeconds = value;
        return changed;
    }

    /** {@return whether servers are connected as soon as they are listed} */
    public boolean isEager() {
        return isEager;
    }

    /**
     * {@return a copy with another {@link #isEager()}}
     *
     * @param value if false, a server is connected for its first call
     */
    public ClusterOptions withEagerConnections(boolean value) {
        ClusterOptions changed = new ClusterOptions(this);
        changed.isEager = value;
        return changed;
    }

    /** {@return what a server must answer before it is called again} */
    Optional<HealthCall> healthCall() {
        return healthCall;
    }

    /**
     * {@return a copy whose health check makes a call} A server that was left out is called again
     * once it accepts a connection and answers this call without an error. The call goes over
     * {@code baidu_std}, whatever the channel speaks: for servers that speak only HTTP or gRPC, use
     * {@link #withHealthPath} or neither.
     *
     * @param <Q> the request's class
     * @param <R> the response's class
     * @param method the method to call
     * @param request what to send
     */
    public <Q extends Message, R extends Message> ClusterOptions withHealthCall(
            RpcMethod<Q, R> method, Q request) {
        ClusterOptions changed = new ClusterOptions(this);
        changed.healthCall = Optional.of(new HealthCall(method, request));
        return changed;
    }

    /** {@return the path that a server must answer to with status 200; empty means none} */
    public String healthPath() {
        return healthPath;
    }

    /**
     * {@return a copy whose health check asks for a page, brpc's health_check_path} The server must
     * speak HTTP on the same port.
     *
     * @param value such as {@code /health}
     */
    public ClusterOptions withHealthPath(String value) {
        Options.require(
                value.startsWith("/") && value.indexOf(' ') < 0, "path", value, "/and so on");
        ClusterOptions changed = new ClusterOptions(this);
        changed.healthPath = value;
        return changed;
    }
}
