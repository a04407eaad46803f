// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Descriptors.ServiceDescriptor;
import com.google.protobuf.Message;
import io.verbena.rpc.server.MethodHandler;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

/** A service: its descriptor, and for each method the code that runs it. Immutable. */
public final class ServiceDefinition implements RpcService {
    private final ServiceDescriptor descriptor;
    private final Object implementation;
    private final List<Entry> entries;

    /**
     * A method and the code that runs it.
     *
     * @param descriptor the method
     * @param requestPrototype an empty request
     * @param handler the code
     */
    record Entry(MethodDescriptor descriptor, Message requestPrototype, MethodHandler handler) {}

    private ServiceDefinition(
            ServiceDescriptor descriptor, Object implementation, List<Entry> entries) {
        this.descriptor = descriptor;
        this.implementation = implementation;
        this.entries = entries;
    }

    /**
     * {@return a builder without methods}
     *
     * @param descriptor describes the service
     * @param implementation whose class, or whose methods, may be {@link NonBlocking}
     */
    public static Builder of(ServiceDescriptor descriptor, Object implementation) {
        return new Builder(descriptor, implementation);
    }

    /** {@return this} */
    @Override
    public ServiceDefinition definition() {
        return this;
    }

    /** {@return its descriptor} */
    public ServiceDescriptor descriptor() {
        return descriptor;
    }

    /** {@return the full names of the methods that can be called} */
    public Set<String> methodNames() {
        return entries.stream()
                .map(entry -> entry.descriptor().getFullName())
                .collect(Collectors.toUnmodifiableSet());
    }

    Object implementation() {
        return implementation;
    }

    List<Entry> entries() {
        return entries;
    }

    @Override
    public String toString() {
        return descriptor.getFullName();
    }

    /** Collects the methods of a service. */
    public static final class Builder {
        private final ServiceDescriptor descriptor;
        private final Object implementation;
        private final List<Entry> entries = new ArrayList<>();

        private Builder(ServiceDescriptor descriptor, Object implementation) {
            this.descriptor = Objects.requireNonNull(descriptor, "descriptor");
            this.implementation = Objects.requireNonNull(implementation, "implementation");
        }

        /**
         * Adds a method that returns its response.
         *
         * @param <Q> the request's class
         * @param <R> the response's class
         * @param method the method
         * @param handler runs it
         * @return this
         */
        public <Q extends Message, R extends Message> Builder unary(
                RpcMethod<Q, R> method, UnaryHandler<Q, R> handler) {
            return add(method, RpcMethod.Form.UNARY, Handlers.unary(handler));
        }

        /**
         * Adds a method that returns a stage of its response.
         *
         * @param <Q> the request's class
         * @param <R> the response's class
         * @param method the method
         * @param handler runs it
         * @return this
         */
        public <Q extends Message, R extends Message> Builder async(
                RpcMethod<Q, R> method, AsyncHandler<Q, R> handler) {
            return add(method, RpcMethod.Form.UNARY, Handlers.async(handler));
        }

        /**
         * Adds a method that completes a future of its response.
         *
         * @param <Q> the request's class
         * @param <R> the response's class
         * @param method the method
         * @param handler runs it
         * @return this
         */
        public <Q extends Message, R extends Message> Builder completing(
                RpcMethod<Q, R> method, CompletingHandler<Q, R> handler) {
            return add(method, RpcMethod.Form.UNARY, Handlers.completing(handler));
        }

        /**
         * Adds a method with many responses.
         *
         * @param <Q> the class of requests
         * @param <R> the class of responses
         * @param method the method
         * @param handler runs it
         * @return this
         */
        public <Q extends Message, R extends Message> Builder serverStream(
                RpcMethod<Q, R> method, ServerStreamHandler<Q, R> handler) {
            return add(
                    method,
                    RpcMethod.Form.SERVER_STREAM,
                    StreamHandlers.serverStream(method, handler));
        }

        /**
         * Adds a method with many requests that returns its response.
         *
         * @param <Q> the class of requests
         * @param <R> the class of responses
         * @param method the method
         * @param handler runs it
         * @return this
         */
        public <Q extends Message, R extends Message> Builder clientStream(
                RpcMethod<Q, R> method, ClientStreamHandler<Q, R> handler) {
            return add(
                    method,
                    RpcMethod.Form.CLIENT_STREAM,
                    StreamHandlers.clientStream(method, handler));
        }

        /**
         * Adds a method with many requests and many responses.
         *
         * @param <Q> the class of requests
         * @param <R> the class of responses
         * @param method the method
         * @param handler runs it
         * @return this
         */
        public <Q extends Message, R extends Message> Builder bidirectional(
                RpcMethod<Q, R> method, BidirectionalHandler<Q, R> handler) {
            return add(
                    method,
                    RpcMethod.Form.BIDIRECTIONAL,
                    StreamHandlers.bidirectional(method, handler));
        }

        /**
         * Adds a method with many responses that returns a stage of its end.
         *
         * @param <Q> the class of requests
         * @param <R> the class of responses
         * @param method the method
         * @param handler runs it
         * @return this
         */
        public <Q extends Message, R extends Message> Builder asyncServerStream(
                RpcMethod<Q, R> method, AsyncServerStreamHandler<Q, R> handler) {
            return add(
                    method,
                    RpcMethod.Form.SERVER_STREAM,
                    StreamHandlers.asyncServerStream(method, handler));
        }

        /**
         * Adds a method with many requests that returns a stage of its response.
         *
         * @param <Q> the class of requests
         * @param <R> the class of responses
         * @param method the method
         * @param handler runs it
         * @return this
         */
        public <Q extends Message, R extends Message> Builder asyncClientStream(
                RpcMethod<Q, R> method, AsyncClientStreamHandler<Q, R> handler) {
            return add(
                    method,
                    RpcMethod.Form.CLIENT_STREAM,
                    StreamHandlers.asyncClientStream(method, handler));
        }

        /**
         * Adds a method with many requests and many responses that returns a stage of its end.
         *
         * @param <Q> the class of requests
         * @param <R> the class of responses
         * @param method the method
         * @param handler runs it
         * @return this
         */
        public <Q extends Message, R extends Message> Builder asyncBidirectional(
                RpcMethod<Q, R> method, AsyncBidirectionalHandler<Q, R> handler) {
            return add(
                    method,
                    RpcMethod.Form.BIDIRECTIONAL,
                    StreamHandlers.asyncBidirectional(method, handler));
        }

        private Builder add(RpcMethod<?, ?> method, RpcMethod.Form form, MethodHandler handler) {
            if (method.form() != form) {
                throw new IllegalArgumentException(
                        "method: " + method + ", " + method.form() + " (expected: " + form + ")");
            }
            return add(method.descriptor(), method.requestPrototype(), handler);
        }

        /** Adds a method that is not known by its classes. */
        Builder add(MethodDescriptor method, Message requestPrototype, MethodHandler handler) {
            if (method.getService() != descriptor) {
                throw new IllegalArgumentException(
                        "method: "
                                + method.getFullName()
                                + " (expected: one of "
                                + descriptor.getFullName()
                                + ")");
            }
            entries.add(new Entry(method, requestPrototype, handler));
            return this;
        }

        /** {@return the service with all methods added so far} */
        public ServiceDefinition build() {
            return new ServiceDefinition(descriptor, implementation, List.copyOf(entries));
        }
    }
}
