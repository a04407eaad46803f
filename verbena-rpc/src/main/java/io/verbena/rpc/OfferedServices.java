// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Service;
import io.verbena.rpc.server.ConcurrencyLimiter;
import io.verbena.rpc.server.LimiterSettings;
import io.verbena.rpc.server.MethodRegistry;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/** The services of a server that is not started yet, with the limits of their methods. */
final class OfferedServices {
    private final Map<Service, Map<String, String>> limits = new LinkedHashMap<>();

    /** Adds a service, with limits by the names of its methods. */
    void add(Service service, Map<String, String> maxConcurrency) {
        limits.put(service, Map.copyOf(maxConcurrency));
    }

    /**
     * {@return the methods of all services}
     *
     * @param otherwise the limit of methods without their own
     * @param flags the initial values of limiters
     * @throws IllegalArgumentException if two services have the same name, or a limit is malformed
     */
    MethodRegistry register(String otherwise, RpcFlags flags) {
        LimiterSettings settings =
                new LimiterSettings(
                        flags.integer(RpcFlag.AUTO_CL_INITIAL_MAX_CONCURRENCY),
                        flags.integer(RpcFlag.TIMEOUT_CL_MAX_CONCURRENCY),
                        RpcError.ELIMIT.code());
        MethodRegistry registry = new MethodRegistry();
        limits.forEach(
                (service, own) ->
                        registry.add(
                                service,
                                method ->
                                        ConcurrencyLimiter.of(
                                                own.getOrDefault(method.getName(), otherwise),
                                                settings),
                                method -> isNonBlocking(service, method)));
        return registry;
    }

    private static boolean isNonBlocking(Service service, MethodDescriptor method) {
        if (service.getClass().isAnnotationPresent(NonBlocking.class)) {
            return true;
        }
        String name = method.getName();
        String javaName = name.substring(0, 1).toLowerCase(Locale.ROOT) + name.substring(1);
        return Stream.of(service.getClass().getMethods())
                .filter(candidate -> candidate.getName().equals(javaName))
                .anyMatch(candidate -> candidate.isAnnotationPresent(NonBlocking.class));
    }
}
