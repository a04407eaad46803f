// SPDX-License-Identifier: Apache-2.0
package io.verbena.protoc;

import com.google.protobuf.DescriptorProtos;
import com.google.protobuf.DescriptorProtos.Edition;
import com.google.protobuf.Descriptors.DescriptorValidationException;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.Descriptors.ServiceDescriptor;
import com.google.protobuf.ExtensionRegistry;
import com.google.protobuf.JavaFeaturesProto;
import com.google.protobuf.compiler.PluginProtos.CodeGeneratorRequest;
import com.google.protobuf.compiler.PluginProtos.CodeGeneratorResponse;
import com.google.protobuf.compiler.PluginProtos.CodeGeneratorResponse.Feature;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/** Writes the services and clients of the files that protoc names. */
public final class ProtocPlugin {
    private ProtocPlugin() {}

    /**
     * Reads a request from standard input and writes the response to standard output.
     *
     * @param args not used
     * @throws IOException if protoc has gone
     */
    public static void main(String[] args) throws IOException {
        run(System.in, System.out);
    }

    static void run(InputStream in, OutputStream out) throws IOException {
        generate(CodeGeneratorRequest.parseFrom(in, extensions())).writeTo(out);
        out.flush();
    }

    /** {@return the options that decide the names of Java classes} */
    static ExtensionRegistry extensions() {
        // the two classes need each other to be initialized, which works from this end only
        DescriptorProtos.getDescriptor();
        ExtensionRegistry extensions = ExtensionRegistry.newInstance();
        extensions.add(JavaFeaturesProto.java_);
        return extensions;
    }

    /** {@return the sources; if a file cannot be read, what is wrong with it} */
    static CodeGeneratorResponse generate(CodeGeneratorRequest request) {
        CodeGeneratorResponse.Builder response =
                CodeGeneratorResponse.newBuilder()
                        .setSupportedFeatures(
                                Feature.FEATURE_PROTO3_OPTIONAL_VALUE
                                        | Feature.FEATURE_SUPPORTS_EDITIONS_VALUE)
                        .setMinimumEdition(Edition.EDITION_PROTO2_VALUE)
                        .setMaximumEdition(Edition.EDITION_2024_VALUE);
        try {
            ProtoFiles files = ProtoFiles.of(request.getProtoFileList());
            for (String name : request.getFileToGenerateList()) {
                FileDescriptor file = files.file(name);
                for (ServiceDescriptor service : file.getServices()) {
                    add(service, files, response);
                }
            }
        } catch (DescriptorValidationException e) {
            response.clearFile().setError("verbena-protoc: " + e.getMessage());
        }
        return response.build();
    }

    private static void add(
            ServiceDescriptor service, ProtoFiles files, CodeGeneratorResponse.Builder response) {
        ServiceNames names = ServiceNames.of(service, files);
        response.addFile(new ServiceSource(names).file());
        response.addFile(new ClientSource(names).file());
    }
}
