// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.server;

import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Message;
import com.google.protobuf.Service;

/** A method of a service of a server. */
public final class ServerMethod {
    private final Service service;
    private final MethodDescriptor descriptor;
    private final Message requestPrototype;
    private final boolean isNonBlocking;
    private final MethodStatus status;

    ServerMethod(
            Service service,
            MethodDescriptor descriptor,
            boolean isNonBlocking,
            ConcurrencyLimiter limiter) {
        this.service = service;
        this.descriptor = descriptor;
        this.requestPrototype = service.getRequestPrototype(descriptor);
        this.isNonBlocking = isNonBlocking;
        this.status = new MethodStatus(limiter);
    }

    /** {@return what runs it} */
    public Service service() {
        return service;
    }

    /** {@return its description} */
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

    /** {@return what it has done so far} */
    public MethodStatus status() {
        return status;
    }

    @Override
    public String toString() {
        return descriptor.getFullName();
    }
}
