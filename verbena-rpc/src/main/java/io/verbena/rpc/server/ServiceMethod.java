// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.server;

import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Message;
import com.google.protobuf.Service;
import io.verbena.rpc.spi.ServerMethod;

/** A method of a service that a server runs. */
public final class ServiceMethod implements ServerMethod {
    private final Service service;
    private final MethodDescriptor descriptor;
    private final Message requestPrototype;
    private final boolean isNonBlocking;
    private final MethodGate status;
    private final Placement placement = new Placement();

    ServiceMethod(
            Service service,
            MethodDescriptor descriptor,
            boolean isNonBlocking,
            ConcurrencyLimiter limiter) {
        this.service = service;
        this.descriptor = descriptor;
        this.requestPrototype = service.getRequestPrototype(descriptor);
        this.isNonBlocking = isNonBlocking;
        this.status = new MethodGate(limiter);
    }

    /** {@return the implementation} */
    public Service service() {
        return service;
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
