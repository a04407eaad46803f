// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.server;

import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Descriptors.ServiceDescriptor;
import com.google.protobuf.Service;
import io.verbena.rpc.NonBlocking;
import io.verbena.rpc.RpcFlags;
import io.verbena.rpc.wire.Slice;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The services of a server. Filled before the server starts; from then on any thread looks things
 * up.
 *
 * <p>Frames name a method by bytes: those are looked up as they are, in a table of their hashes, so
 * that no text is made of them.
 */
public final class MethodRegistry {
    private static final int FIRST_SIZE = 64;

    private final RpcFlags flags;
    private final Map<String, Service> services = new LinkedHashMap<>();
    private final Map<String, ServerMethod> methods = new LinkedHashMap<>();
    private Entry[] table = new Entry[FIRST_SIZE];

    /** A method by the bytes of its names; others with the same hash behind it. */
    private static final class Entry {
        private final byte[] service;
        private final byte[] method;
        private final ServerMethod target;
        private final Entry next;

        Entry(byte[] service, byte[] method, ServerMethod target, Entry next) {
            this.service = service;
            this.method = method;
            this.target = target;
            this.next = next;
        }
    }

    /**
     * A registry without services.
     *
     * @param flags where limiters begin
     */
    public MethodRegistry(RpcFlags flags) {
        this.flags = flags;
    }

    /**
     * Adds a service.
     *
     * @param service what runs it
     * @param maxConcurrency by the name of a method, its limit
     * @param otherwise the limit of other methods
     * @throws IllegalArgumentException if there is a service of that name already
     */
    public void add(Service service, Map<String, String> maxConcurrency, String otherwise) {
        ServiceDescriptor descriptor = service.getDescriptorForType();
        String name = descriptor.getFullName();
        if (services.putIfAbsent(name, service) != null) {
            throw new IllegalArgumentException(
                    "service: " + name + " (expected: one that was not added yet)");
        }
        for (MethodDescriptor method : descriptor.getMethods()) {
            ServerMethod target =
                    new ServerMethod(
                            service,
                            method,
                            isNonBlocking(service, method),
                            ConcurrencyLimiter.of(
                                    maxConcurrency.getOrDefault(method.getName(), otherwise),
                                    flags));
            methods.put(method.getFullName(), target);
            put(name, method.getName(), target);
            if (!name.equals(descriptor.getName())) {
                put(descriptor.getName(), method.getName(), target);
            }
        }
    }

    private static boolean isNonBlocking(Service service, MethodDescriptor method) {
        if (service.getClass().isAnnotationPresent(NonBlocking.class)) {
            return true;
        }
        String name = method.getName();
        String javaName = name.substring(0, 1).toLowerCase(Locale.ROOT) + name.substring(1);
        return Stream.of(service.getClass().getMethods())
                .filter(candidate -> candidate.getName().equals(javaName))
                .anyMatch(MethodRegistry::isNonBlocking);
    }

    private static boolean isNonBlocking(Method method) {
        return method.isAnnotationPresent(NonBlocking.class);
    }

    private void put(String service, String method, ServerMethod target) {
        byte[] serviceBytes = service.getBytes(StandardCharsets.UTF_8);
        byte[] methodBytes = method.getBytes(StandardCharsets.UTF_8);
        int at = hash(Arrays.hashCode(serviceBytes), Arrays.hashCode(methodBytes));
        table[at] = new Entry(serviceBytes, methodBytes, target, table[at]);
    }

    private int hash(int service, int method) {
        int mixed = service * 31 + method;
        return (mixed ^ mixed >>> 16) & table.length - 1;
    }

    /**
     * {@return a method by its names as they arrived, or null if there is none}
     *
     * @param service full name of the service, or its name without the package
     * @param method name of the method
     */
    public ServerMethod find(Slice service, Slice method) {
        Entry entry = table[hash(service.contentHash(), method.contentHash())];
        while (entry != null
                && !(method.contentEquals(entry.method) && service.contentEquals(entry.service))) {
            entry = entry.next;
        }
        return entry == null ? null : entry.target;
    }

    /**
     * {@return a method}
     *
     * @param service full name of the service, or its name without the package
     * @param method name of the method
     */
    public Optional<ServerMethod> find(String service, String method) {
        return service(service)
                .map(found -> found.getDescriptorForType().findMethodByName(method))
                .map(descriptor -> methods.get(descriptor.getFullName()));
    }

    /**
     * {@return a service}
     *
     * @param name its full name, or its name without the package
     */
    public Optional<Service> service(String name) {
        Service found = services.get(name);
        if (found != null || name.indexOf('.') >= 0) {
            return Optional.ofNullable(found);
        }
        return services.values().stream()
                .filter(service -> service.getDescriptorForType().getName().equals(name))
                .findFirst();
    }

    /** {@return all methods, in the order they were added} */
    public Collection<ServerMethod> methods() {
        return List.copyOf(methods.values());
    }

    /** {@return all services, in the order they were added} */
    public Collection<Service> services() {
        return List.copyOf(services.values());
    }
}
