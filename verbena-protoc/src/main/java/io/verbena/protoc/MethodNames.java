// SPDX-License-Identifier: Apache-2.0
package io.verbena.protoc;

import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.GeneratorNames;
import java.util.Set;

/**
 * The Java names of a method.
 *
 * @param descriptor the method
 * @param javaName in the interface and the client
 * @param asyncName in the client, for a future response
 * @param constant in the table of methods
 */
record MethodNames(
        MethodDescriptor descriptor, String javaName, String asyncName, String constant) {
    /** Names of other parameters. */
    private static final Set<String> TAKEN =
            Set.of("call", "done", "listener", "requests", "responses");

    /** {@return whether it has many requests} */
    boolean hasRequests() {
        return descriptor.isClientStreaming();
    }

    /** {@return whether it has many responses} */
    boolean hasResponses() {
        return descriptor.isServerStreaming();
    }

    boolean isUnary() {
        return !hasRequests() && !hasResponses();
    }

    /** {@return how the definition of a service adds it} */
    String builderMethod(boolean isAsync) {
        if (isUnary()) {
            return isAsync ? "async" : "unary";
        }
        String form =
                hasResponses() ? hasRequests() ? "Bidirectional" : "ServerStream" : "ClientStream";
        return isAsync ? "async" + form : Words.method(form);
    }

    boolean isDeprecated() {
        return descriptor.getOptions().getDeprecated();
    }

    boolean isAnyMessageDeprecated() {
        return descriptor.getInputType().getOptions().getDeprecated()
                || descriptor.getOutputType().getOptions().getDeprecated();
    }

    String requestClass() {
        return GeneratorNames.getQualifiedClassName(descriptor.getInputType());
    }

    String responseClass() {
        return GeneratorNames.getQualifiedClassName(descriptor.getOutputType());
    }

    /** {@return the name of the parameter for the request: that of its class} */
    String requestName() {
        String name = Words.method(descriptor.getInputType().getName());
        return name.endsWith("_") || TAKEN.contains(name) ? "request" : name;
    }
}
