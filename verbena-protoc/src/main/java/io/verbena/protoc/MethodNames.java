// SPDX-License-Identifier: Apache-2.0
package io.verbena.protoc;

import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.GeneratorNames;

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
    boolean isUnary() {
        return !descriptor.isClientStreaming() && !descriptor.isServerStreaming();
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
        boolean isPlain = !name.endsWith("_") && !name.equals("call") && !name.equals("done");
        return isPlain ? name : "request";
    }
}
