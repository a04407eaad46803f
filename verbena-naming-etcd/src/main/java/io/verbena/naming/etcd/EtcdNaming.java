// SPDX-License-Identifier: Apache-2.0
package io.verbena.naming.etcd;

import io.verbena.naming.RegistryAddress;
import io.verbena.naming.RegistryTls;
import io.verbena.naming.RenewedRegistration;
import io.verbena.naming.RestClient;
import io.verbena.naming.ServerText;
import io.verbena.rpc.spi.NamingService;
import io.verbena.rpc.spi.PollingWatch;
import io.verbena.rpc.spi.ServerNode;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * {@code etcd://host:port,host:port/prefix}: the keys {@code prefix/host:port}, with the tag as
 * value. A server's key has a lease, which the server keeps alive; {@code ?lease_ms=N} sets how
 * long it lasts without that.
 *
 * <p>Speaks etcd's JSON over HTTP, which every member has on its client port, and over TLS with
 * {@code ?tls=true}. The environment variables {@code ETCDCTL_USER}, {@code ETCDCTL_PASSWORD},
 * {@code ETCDCTL_CACERT}, {@code ETCDCTL_CERT} and {@code ETCDCTL_KEY} mean what they mean for
 * etcdctl.
 */
public final class EtcdNaming implements NamingService {
    private static final int PORT = 2379;
    private static final String LEASE = "lease_ms";
    private static final int DEFAULT_LEASE_MS = 10_000;

    /** A lease is renewed a few times before it would end. */
    private static final int RENEWALS_PER_LEASE = 3;

    private static final RegistryTls TLS =
            new RegistryTls("ETCDCTL_CACERT", "ETCDCTL_CERT", "ETCDCTL_KEY");

    private final Map<String, String> environment;

    /** For {@link java.util.ServiceLoader}. */
    public EtcdNaming() {
        this(System.getenv());
    }

    EtcdNaming(Map<String, String> environment) {
        this.environment = environment;
    }

    @Override
    public String scheme() {
        return "etcd";
    }

    private static RegistryAddress parse(String name) {
        return RegistryAddress.parse(name, PORT, Set.of(LEASE, RegistryTls.PARAMETER));
    }

    private Etcd etcd(RegistryAddress address) {
        return new Etcd(
                new RestClient(
                        address.hosts(),
                        Map.of(),
                        RegistryTls.isWanted(address)
                                ? Optional.of(TLS.context(environment))
                                : Optional.empty()),
                EtcdUser.of(environment));
    }

    @Override
    public Watch watch(String name, Listener listener) {
        RegistryAddress address = parse(name);
        Etcd etcd = etcd(address);
        EtcdLookup lookup = new EtcdLookup(etcd, address.path() + "/");
        PollingWatch watch = PollingWatch.start(scheme(), Duration.ZERO, lookup, listener);
        return () -> {
            watch.close();
            etcd.close();
        };
    }

    @Override
    public Registration register(String name, ServerNode server) {
        RegistryAddress address = parse(name);
        int leaseMs = address.milliseconds(LEASE, DEFAULT_LEASE_MS);
        LeasedKey key =
                new LeasedKey(
                        etcd(address),
                        address.path() + "/" + ServerText.address(server),
                        ServerText.tag(server),
                        leaseMs);
        return RenewedRegistration.start(
                scheme(), Duration.ofMillis(leaseMs / RENEWALS_PER_LEASE), key);
    }
}
