// SPDX-License-Identifier: Apache-2.0
package io.verbena.naming.nacos;

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
 * {@code nacos://host:port,host:port/service}, with the parameters {@code groupName}, {@code
 * namespaceId} and {@code clusters}. A server joins the first of the clusters.
 *
 * <p>Speaks version 1 of the HTTP interface, as brpc does: Nacos 1 and 2 have it. If the
 * environment variables {@code NACOS_USERNAME} and {@code NACOS_PASSWORD} are set, it logs in. With
 * {@code ?tls=true} it uses TLS; {@code NACOS_CACERT} names the authorities' file, {@code
 * NACOS_CLIENT_CERT} and {@code NACOS_CLIENT_KEY} those of the client's certificate.
 */
public final class NacosNaming implements NamingService {
    private static final int PORT = 8848;
    private static final RegistryTls TLS =
            new RegistryTls("NACOS_CACERT", "NACOS_CLIENT_CERT", "NACOS_CLIENT_KEY");

    private final Map<String, String> environment;

    /** For {@link java.util.ServiceLoader}. */
    public NacosNaming() {
        this(System.getenv());
    }

    NacosNaming(Map<String, String> environment) {
        this.environment = environment;
    }

    @Override
    public String scheme() {
        return "nacos";
    }

    static RegistryAddress parse(String name) {
        return RegistryAddress.parse(
                name, PORT, Set.of("groupName", "namespaceId", "clusters", RegistryTls.PARAMETER));
    }

    private Nacos nacos(RegistryAddress address) {
        return new Nacos(
                new RestClient(
                        address.hosts(),
                        Map.of(),
                        RegistryTls.isWanted(address)
                                ? Optional.of(TLS.context(environment))
                                : Optional.empty()),
                environment.getOrDefault("NACOS_USERNAME", ""),
                environment.getOrDefault("NACOS_PASSWORD", ""));
    }

    @Override
    public Watch watch(String name, Listener listener) {
        RegistryAddress address = parse(name);
        Nacos nacos = nacos(address);
        PollingWatch watch =
                PollingWatch.start(
                        scheme(), Duration.ZERO, new NacosLookup(nacos, address), listener);
        return () -> {
            watch.close();
            nacos.close();
        };
    }

    @Override
    public Registration register(String name, ServerNode server) {
        RegistryAddress address = parse(name);
        return RenewedRegistration.start(
                scheme(),
                BeatingInstance.INTERVAL,
                new BeatingInstance(nacos(address), address, server));
    }
}
