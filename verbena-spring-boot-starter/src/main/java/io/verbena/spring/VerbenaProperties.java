// SPDX-License-Identifier: Apache-2.0
package io.verbena.spring;

import io.verbena.transport.SocketMode;
import java.time.Duration;
import java.util.Map;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties of an application, under {@code verbena}.
 *
 * @param mode what connections use; with RDMA, a peer without it is reached by TCP
 * @param flags flags of the transport, the memory pool and RPC, by name
 * @param server the server
 * @param channels the channels, by name; each becomes a bean with that name
 */
@ConfigurationProperties("verbena")
public record VerbenaProperties(
        @DefaultValue("RDMA") SocketMode mode,
        @DefaultValue Map<String, String> flags,
        @DefaultValue ServerSettings server,
        @DefaultValue Map<String, ChannelSettings> channels) {

    /**
     * The server that runs the application's services.
     *
     * @param enabled whether there is one, if the application has services
     * @param port where it listens; 0 picks a free port
     * @param closeTimeout how long calls may still take when the application ends
     */
    public record ServerSettings(
            @DefaultValue("true") boolean enabled,
            @DefaultValue("8000") int port,
            @DefaultValue("30s") Duration closeTimeout) {}

    /**
     * A channel to a server, or to several.
     *
     * @param address {@code host:port}, or the URL of a naming service
     * @param balancer how servers are chosen; empty for a single server
     * @param timeout how long a call may take
     * @param connectTimeout how long connecting may take
     * @param maxRetry how often a call is tried again
     */
    public record ChannelSettings(
            String address,
            @DefaultValue("") String balancer,
            @DefaultValue("2s") Duration timeout,
            @DefaultValue("3s") Duration connectTimeout,
            @DefaultValue("3") int maxRetry) {}
}
