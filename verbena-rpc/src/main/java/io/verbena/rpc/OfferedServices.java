// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.Descriptors.MethodDescriptor;
import io.verbena.rpc.server.ConcurrencyLimiter;
import io.verbena.rpc.server.LimiterSettings;
import io.verbena.rpc.server.MethodRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The services of a server that is not started yet, with the limits of their methods. */
final class OfferedServices {
    private final List<Offer> offers = new ArrayList<>();

    private record Offer(ServiceDefinition service, Map<String, String> maxConcurrency) {}

    /** Adds a service, with limits by the names of its methods. */
    void add(ServiceDefinition service, Map<String, String> maxConcurrency) {
        offers.add(new Offer(service, Map.copyOf(maxConcurrency)));
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
        for (Offer offer : offers) {
            registry.add(offer.service().descriptor());
            for (ServiceDefinition.Entry entry : offer.service().entries()) {
                String limit =
                        offer.maxConcurrency()
                                .getOrDefault(entry.descriptor().getName(), otherwise);
                registry.add(
                        entry.descriptor(),
                        entry.requestPrototype(),
                        entry.handler(),
                        isNonBlocking(offer.service().implementation(), entry.descriptor()),
                        ConcurrencyLimiter.of(limit, settings));
            }
        }
        return registry;
    }

    private static boolean isNonBlocking(Object service, MethodDescriptor method) {
        if (service.getClass().isAnnotationPresent(NonBlocking.class)) {
            return true;
        }
        String javaName = JavaNames.ofMethod(method.getName());
        return Stream.of(service.getClass().getMethods())
                .filter(candidate -> withoutSuffix(candidate.getName()).equals(javaName))
                .anyMatch(candidate -> candidate.isAnnotationPresent(NonBlocking.class));
    }

    /** Generated names that would collide, or be keywords, end with underscores. */
    private static String withoutSuffix(String name) {
        int end = name.length();
        while (end > 0 && name.charAt(end - 1) == '_') {
            end--;
        }
        return name.substring(0, end);
    }
}
