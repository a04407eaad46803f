// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.rpc.balance.Balancers;
import io.verbena.rpc.naming.Namings;
import io.verbena.rpc.spi.ClientProtocolProvider;
import io.verbena.rpc.spi.LoadBalancer;
import io.verbena.rpc.spi.LoadBalancerProvider;
import io.verbena.rpc.spi.NamingService;
import io.verbena.rpc.spi.ProtocolProvider;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The available registries, balancers and protocols: the built-in ones, and those found on the
 * path.
 */
final class Plugins {
    private static final String SCHEME_END = "://";

    private final Map<String, NamingService> namings = new TreeMap<>();
    private final Map<String, LoadBalancerProvider> balancers = new TreeMap<>();
    private final Map<String, ClientProtocolProvider> clientProtocols = new TreeMap<>();
    private final List<ProtocolProvider> protocols;

    Plugins() {
        Namings.all().forEach(this::add);
        Balancers.all().forEach(this::add);
        ServiceLoader.load(NamingService.class).forEach(this::add);
        ServiceLoader.load(LoadBalancerProvider.class).forEach(this::add);
        ServiceLoader.load(ClientProtocolProvider.class)
                .forEach(protocol -> clientProtocols.put(protocol.name(), protocol));
        protocols =
                Stream.concat(
                                Stream.of(new BaiduProtocol()),
                                ServiceLoader.load(ProtocolProvider.class).stream()
                                        .map(ServiceLoader.Provider::get)
                                        .sorted(Comparator.comparing(ProtocolProvider::name)))
                        .toList();
    }

    private void add(NamingService naming) {
        namings.put(naming.scheme().toLowerCase(Locale.ROOT), naming);
    }

    private void add(LoadBalancerProvider provider) {
        balancers.put(provider.name(), provider);
    }

    /** {@return the protocols that servers can speak, in the order in which they are tried} */
    List<ProtocolProvider> protocols() {
        return protocols;
    }

    /** {@return the protocols that channels can speak besides baidu_std, by name} */
    Map<String, ClientProtocolProvider> clientProtocols() {
        return clientProtocols;
    }

    static boolean isUrl(String address) {
        return address.contains(SCHEME_END);
    }

    /** {@return what an address such as {@code list://a:1,b:2} stands for} */
    NamedServers naming(String url) {
        int end = url.indexOf(SCHEME_END);
        Options.require(end > 0, "naming service", url, "scheme://name");
        String scheme = url.substring(0, end).toLowerCase(Locale.ROOT);
        NamingService naming = namings.get(scheme);
        Options.require(naming != null, "naming service", scheme, "one of " + namings.keySet());
        return new NamedServers(naming, url.substring(end + SCHEME_END.length()));
    }

    /** {@return a balancer for {@code name} or {@code name:key=value key=value}} */
    LoadBalancer balancer(String text) {
        String[] parts = text.split(":", 2);
        LoadBalancerProvider provider = balancers.get(parts[0]);
        Options.require(
                provider != null, "load balancer", parts[0], "one of " + balancers.keySet());
        return provider.create(parameters(parts.length > 1 ? parts[1] : ""));
    }

    private static Map<String, String> parameters(String text) {
        Map<String, String> parameters = new HashMap<>();
        for (String each : text.strip().split("\\s+", -1)) {
            if (!each.isEmpty()) {
                String[] parts = each.split("=", 2);
                Options.require(parts.length == 2, "load balancer parameter", each, "key=value");
                parameters.put(parts[0], parts[1]);
            }
        }
        return parameters;
    }
}
