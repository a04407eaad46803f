// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Service;

/** Services of protobuf's own generated code, which protoc warns about and will drop. */
final class GenericServices {
    private GenericServices() {}

    static ServiceDefinition define(Service service) {
        ServiceDefinition.Builder builder =
                ServiceDefinition.of(service.getDescriptorForType(), service);
        for (MethodDescriptor method : service.getDescriptorForType().getMethods()) {
            builder.add(
                    method, service.getRequestPrototype(method), Handlers.generic(service, method));
        }
        return builder.build();
    }
}
