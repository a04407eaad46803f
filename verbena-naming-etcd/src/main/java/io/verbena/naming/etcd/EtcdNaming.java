// SPDX-License-Identifier: Apache-2.0
package io.verbena.naming.etcd;

import io.verbena.naming.RegistryAddress;
import io.verbena.naming.RenewedRegistration;
import io.verbena.naming.RestClient;
import io.verbena.naming.ServerText;
import io.verbena.rpc.spi.NamingService;
import io.verbena.rpc.spi.PollingWatch;
import io.verbena.rpc.spi.ServerNode;
import java.time.Duration;
import java.util.Map;
import java.util.Set;

/**
 * {@code etcd://host:port,host:port/prefix}: the keys {@code prefix/host:port}, with the tag as
 * value. A server's key has a lease, which the server keeps alive; {@code ?lease_ms=N} sets how
 * long it lasts without that.
 *
 * <p>Speaks etcd's JSON over HTTP, which every member has on its client port.
 */
public final class EtcdNaming implements NamingService {
    private static final int PORT = 2379;
    private static final String LEASE = "lease_ms";
    private static final int DEFAULT_LEASE_MS = 10_000;

    /** A lease is renewed a few times before it would end. */
    private static final int RENEWALS_PER_LEASE = 3;

    /** For {@link java.util.ServiceLoader}. */
    public EtcdNaming() {}

    @Override
    public String scheme() {
        return "etcd";
    }

    private static RegistryAddress parse(String name) {
        return RegistryAddress.parse(name, PORT, Set.of(LEASE));
    }

    @Override
    public Watch watch(String name, Listener listener) {
        RegistryAddress address = parse(name);
        RestClient client = new RestClient(address.hosts(), Map.of());
        EtcdLookup lookup = new EtcdLookup(new Etcd(client), address.path() + "/");
        PollingWatch watch = PollingWatch.start(scheme(), Duration.ZERO, lookup, listener);
        return () -> {
            watch.close();
            client.close();
        };
    }

    @Override
    public Registration register(String name, ServerNode server) {
        RegistryAddress address = parse(name);
        int leaseMs = address.milliseconds(LEASE, DEFAULT_LEASE_MS);
        RestClient client = new RestClient(address.hosts(), Map.of());
        LeasedKey key =
                new LeasedKey(
                        client,
                        address.path() + "/" + ServerText.address(server),
                        ServerText.tag(server),
                        leaseMs);
        return RenewedRegistration.start(
                scheme(), Duration.ofMillis(leaseMs / RENEWALS_PER_LEASE), key);
    }
}
