// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Message;
import io.verbena.rpc.wire.MetaWriter;
import java.util.Objects;

/**
 * A method of a service, with the classes of its messages. Generated code has one constant for each
 * method; clients call through it, and servers register their implementation with it. Immutable.
 *
 * @param <Q> the request's class
 * @param <R> the response's class
 */
public final class RpcMethod<Q extends Message, R extends Message> {
    /** How many messages go each way. */
    public enum Form {
        /** One request, one response. */
        UNARY,
        /** Many requests, one response. */
        CLIENT_STREAM,
        /** One request, many responses. */
        SERVER_STREAM,
        /** Many requests, many responses. */
        BIDIRECTIONAL
    }

    private final MethodDescriptor descriptor;
    private final Q requestPrototype;
    private final R responsePrototype;
    private final Form form;

    /** The names as every request carries them, encoded once. */
    private final byte[] names;

    private RpcMethod(MethodDescriptor descriptor, Q requestPrototype, R responsePrototype) {
        this.descriptor = Objects.requireNonNull(descriptor, "descriptor");
        this.requestPrototype = Objects.requireNonNull(requestPrototype, "requestPrototype");
        this.responsePrototype = Objects.requireNonNull(responsePrototype, "responsePrototype");
        this.form = formOf(descriptor);
        this.names = MetaWriter.names(descriptor.getService().getFullName(), descriptor.getName());
    }

    /**
     * {@return a method}
     *
     * @param <Q> the request's class
     * @param <R> the response's class
     * @param descriptor its descriptor
     * @param requestPrototype the default instance of its requests
     * @param responsePrototype the default instance of its responses
     */
    public static <Q extends Message, R extends Message> RpcMethod<Q, R> of(
            MethodDescriptor descriptor, Q requestPrototype, R responsePrototype) {
        return new RpcMethod<>(descriptor, requestPrototype, responsePrototype);
    }

    private static Form formOf(MethodDescriptor descriptor) {
        if (descriptor.isClientStreaming()) {
            return descriptor.isServerStreaming() ? Form.BIDIRECTIONAL : Form.CLIENT_STREAM;
        }
        return descriptor.isServerStreaming() ? Form.SERVER_STREAM : Form.UNARY;
    }

    /** {@return the full name of its service} */
    public String serviceName() {
        return descriptor.getService().getFullName();
    }

    /** {@return its name, without the service} */
    public String name() {
        return descriptor.getName();
    }

    /** {@return its descriptor} */
    public MethodDescriptor descriptor() {
        return descriptor;
    }

    /** {@return an empty request} */
    public Q requestPrototype() {
        return requestPrototype;
    }

    /** {@return an empty response} */
    public R responsePrototype() {
        return responsePrototype;
    }

    /** {@return how many messages go each way} */
    public Form form() {
        return form;
    }

    byte[] names() {
        return names;
    }

    /** {@return its full name} */
    @Override
    public String toString() {
        return descriptor.getFullName();
    }
}
