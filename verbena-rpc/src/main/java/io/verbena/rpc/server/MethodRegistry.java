// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.server;

import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Descriptors.ServiceDescriptor;
import com.google.protobuf.Message;
import io.verbena.rpc.wire.Slice;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The services of a server. Filled before the server starts; after that, any thread may look things
 * up.
 *
 * <p>Frames name a method by bytes. These are looked up directly, in a hash table, without creating
 * a string.
 */
public final class MethodRegistry {
    private static final int FIRST_SIZE = 64;

    private final Map<String, ServiceDescriptor> services = new LinkedHashMap<>();
    private final Map<String, ServiceMethod> methods = new LinkedHashMap<>();
    private Entry[] table = new Entry[FIRST_SIZE];

    /** A method by the bytes of its names, chained with others of the same hash. */
    private static final class Entry {
        private final byte[] service;
        private final byte[] method;
        private final Optional<ServiceMethod> target;
        private final Entry next;

        Entry(byte[] service, byte[] method, ServiceMethod target, Entry next) {
            this.service = service;
            this.method = method;
            this.target = Optional.of(target); // created once: lookups allocate nothing
            this.next = next;
        }
    }

    /** A registry without services. */
    public MethodRegistry() {}

    /**
     * Adds a service, as yet without methods.
     *
     * @param service its descriptor
     * @throws IllegalArgumentException if there is already a service of that name
     */
    public void add(ServiceDescriptor service) {
        String name = service.getFullName();
        if (services.putIfAbsent(name, service) != null) {
            throw new IllegalArgumentException(
                    "service: " + name + " (expected: a name that is not yet in use)");
        }
    }

    /**
     * Adds a method to a service that was added.
     *
     * @param method the method
     * @param requestPrototype an empty request
     * @param handler runs it
     * @param isNonBlocking whether it runs on the thread that received the request
     * @param limiter decides how many calls run concurrently
     */
    public void add(
            MethodDescriptor method,
            Message requestPrototype,
            MethodHandler handler,
            boolean isNonBlocking,
            ConcurrencyLimiter limiter) {
        ServiceMethod target =
                new ServiceMethod(method, requestPrototype, handler, isNonBlocking, limiter);
        ServiceDescriptor service = method.getService();
        methods.put(method.getFullName(), target);
        put(service.getFullName(), method.getName(), target);
        if (!service.getFullName().equals(service.getName())) {
            put(service.getName(), method.getName(), target);
        }
    }

    private void put(String service, String method, ServiceMethod target) {
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
     * {@return a method by its names as received}
     *
     * @param service full name of the service, or its name without the package
     * @param method name of the method
     */
    public Optional<ServiceMethod> find(Slice service, Slice method) {
        Entry entry = table[hash(service.contentHash(), method.contentHash())];
        while (entry != null
                && !(method.contentEquals(entry.method) && service.contentEquals(entry.service))) {
            entry = entry.next;
        }
        return entry == null ? Optional.empty() : entry.target;
    }

    /**
     * {@return a method by its names}
     *
     * @param service full name of the service, or its name without the package
     * @param method name of the method
     */
    public Optional<ServiceMethod> find(String service, String method) {
        return service(service)
                .map(found -> found.findMethodByName(method))
                .map(descriptor -> methods.get(descriptor.getFullName()));
    }

    /**
     * {@return a service by its name}
     *
     * @param name its full name, or its name without the package
     */
    public Optional<ServiceDescriptor> service(String name) {
        ServiceDescriptor found = services.get(name);
        if (found != null || name.indexOf('.') >= 0) {
            return Optional.ofNullable(found);
        }
        return services.values().stream()
                .filter(service -> service.getName().equals(name))
                .findFirst();
    }

    /** {@return all methods, in the order they were added} */
    public Collection<ServiceMethod> methods() {
        return List.copyOf(methods.values());
    }

    /** {@return all services, in the order they were added} */
    public Collection<ServiceDescriptor> services() {
        return List.copyOf(services.values());
    }
}
