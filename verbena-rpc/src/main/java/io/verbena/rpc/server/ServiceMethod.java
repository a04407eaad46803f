// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.server;

import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Message;
import io.verbena.rpc.spi.ServerMethod;

/** A method of a service that a server runs. */
public final class ServiceMethod implements ServerMethod {
    private final MethodDescriptor descriptor;
    private final Message requestPrototype;
    private final MethodHandler handler;
    private final boolean isNonBlocking;
    private final MethodGate status;
    private final Placement placement = new Placement();

    ServiceMethod(
            MethodDescriptor descriptor,
            Message requestPrototype,
            MethodHandler handler,
            boolean isNonBlocking,
            ConcurrencyLimiter limiter) {
        this.descriptor = descriptor;
        this.requestPrototype = requestPrototype;
        this.handler = handler;
        this.isNonBlocking = isNonBlocking;
        this.status = new MethodGate(limiter);
    }

    /** {@return what runs it} */
    public MethodHandler handler() {
        return handler;
    }

    @Override
    public MethodDescriptor descriptor() {
        return descriptor;
    }

    /** {@return an empty request} */
    public Message requestPrototype() {
        return requestPrototype;
    }

    /** {@return whether it runs on the thread that received the request} */
    public boolean isNonBlocking() {
        return isNonBlocking;
    }

    /** {@return whether it has many requests, many responses, or both} */
    public boolean isStreaming() {
        return descriptor.isClientStreaming() || descriptor.isServerStreaming();
    }

    @Override
    public MethodGate status() {
        return status;
    }

    /** {@return where its calls run, if it may block} */
    public Placement placement() {
        return placement;
    }

    @Override
    public String toString() {
        return descriptor.getFullName();
    }
}
