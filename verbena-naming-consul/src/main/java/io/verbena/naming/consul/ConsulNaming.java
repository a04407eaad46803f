// SPDX-License-Identifier: Apache-2.0
package io.verbena.naming.consul;

import io.verbena.naming.RegistryAddress;
import io.verbena.naming.RegistryTls;
import io.verbena.naming.RenewedRegistration;
import io.verbena.naming.RestClient;
import io.verbena.rpc.spi.NamingService;
import io.verbena.rpc.spi.PollingWatch;
import io.verbena.rpc.spi.ServerNode;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * {@code consul://service}, as in brpc, asks the agent of this host; {@code
 * consul://host:port/service} asks another. The parameters {@code dc} and {@code tag} narrow the
 * list down.
 *
 * <p>The environment variables {@code CONSUL_HTTP_ADDR}, {@code CONSUL_HTTP_TOKEN}, {@code
 * CONSUL_HTTP_SSL}, {@code CONSUL_CACERT}, {@code CONSUL_CLIENT_CERT} and {@code CONSUL_CLIENT_KEY}
 * mean what they mean for Consul's own programs. The token is not part of the name, because names
 * are logged. TLS is also used if the name has {@code ?tls=true}.
 */
public final class ConsulNaming implements NamingService {
    private static final int PORT = 8500;
    private static final String ADDRESS = "CONSUL_HTTP_ADDR";
    private static final RegistryTls TLS =
            new RegistryTls("CONSUL_CACERT", "CONSUL_CLIENT_CERT", "CONSUL_CLIENT_KEY");

    private final Map<String, String> environment;

    /** For {@link java.util.ServiceLoader}. */
    public ConsulNaming() {
        this(System.getenv());
    }

    ConsulNaming(Map<String, String> environment) {
        this.environment = environment;
    }

    @Override
    public String scheme() {
        return "consul";
    }

    RegistryAddress parse(String name) {
        boolean hasAgent = name.split("\\?", 2)[0].contains("/");
        return RegistryAddress.parse(
                hasAgent ? name : agent() + "/" + name,
                PORT,
                Set.of("dc", "tag", RegistryTls.PARAMETER));
    }

    private String agent() {
        return environment
                .getOrDefault(ADDRESS, "127.0.0.1:" + PORT)
                .replaceFirst("^https?://", "");
    }

    private boolean isEncrypted(RegistryAddress address) {
        return RegistryTls.isWanted(address)
                || Boolean.parseBoolean(environment.get("CONSUL_HTTP_SSL"))
                || environment.getOrDefault(ADDRESS, "").startsWith("https://");
    }

    private RestClient client(RegistryAddress address) {
        String token = environment.getOrDefault("CONSUL_HTTP_TOKEN", "");
        return new RestClient(
                address.hosts(),
                token.isEmpty() ? Map.of() : Map.of("X-Consul-Token", token),
                isEncrypted(address) ? Optional.of(TLS.context(environment)) : Optional.empty());
    }

    @Override
    public Watch watch(String name, Listener listener) {
        RegistryAddress address = parse(name);
        RestClient client = client(address);
        PollingWatch watch =
                PollingWatch.start(
                        scheme(), Duration.ZERO, new ConsulLookup(client, address), listener);
        return () -> {
            watch.close();
            client.close();
        };
    }

    @Override
    public Registration register(String name, ServerNode server) {
        RegistryAddress address = parse(name);
        return RenewedRegistration.start(
                scheme(),
                CheckedService.INTERVAL,
                new CheckedService(client(address), address.path(), server));
    }
}
