// SPDX-License-Identifier: Apache-2.0
package io.verbena.grpc;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.EnumDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.Descriptors.ServiceDescriptor;
import io.verbena.grpc.builtin.ErrorResponse;
import io.verbena.grpc.builtin.ExtensionNumberResponse;
import io.verbena.grpc.builtin.FileDescriptorResponse;
import io.verbena.grpc.builtin.HealthProto;
import io.verbena.grpc.builtin.ListServiceResponse;
import io.verbena.grpc.builtin.ReflectionProto;
import io.verbena.grpc.builtin.ServerReflectionRequest;
import io.verbena.grpc.builtin.ServerReflectionResponse;
import io.verbena.grpc.builtin.ServiceResponse;
import io.verbena.rpc.spi.ServerView;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/** What a server tells about its services and messages. Any thread. */
final class Reflection {
    private final ServerView server;
    private final Map<String, FileDescriptor> files = new LinkedHashMap<>();
    private final Map<String, FileDescriptor> symbols = new LinkedHashMap<>();

    /** By the extended type, then by number. */
    private final Map<String, Map<Integer, FileDescriptor>> extensions = new LinkedHashMap<>();

    Reflection(ServerView server) {
        this.server = server;
        add(HealthProto.getDescriptor());
        add(ReflectionProto.getDescriptor());
        server.services().forEach(service -> add(service.getFile()));
    }

    private void add(FileDescriptor file) {
        if (files.putIfAbsent(file.getFullName(), file) != null) {
            return;
        }
        for (ServiceDescriptor service : file.getServices()) {
            symbols.put(service.getFullName(), file);
            service.getMethods().forEach(method -> symbols.put(method.getFullName(), file));
        }
        addEnums(file.getEnumTypes(), file);
        file.getMessageTypes().forEach(type -> add(type, file));
        addExtensions(file.getExtensions(), file);
        file.getDependencies().forEach(this::add);
    }

    private void add(Descriptor type, FileDescriptor file) {
        symbols.put(type.getFullName(), file);
        type.getFields().forEach(field -> symbols.put(field.getFullName(), file));
        addEnums(type.getEnumTypes(), file);
        addExtensions(type.getExtensions(), file);
        type.getNestedTypes().forEach(nested -> add(nested, file));
    }

    private void addEnums(Collection<EnumDescriptor> enums, FileDescriptor file) {
        for (EnumDescriptor each : enums) {
            symbols.put(each.getFullName(), file);
            each.getValues().forEach(value -> symbols.put(value.getFullName(), file));
        }
    }

    private void addExtensions(Collection<FieldDescriptor> fields, FileDescriptor file) {
        for (FieldDescriptor field : fields) {
            symbols.put(field.getFullName(), file);
            extensions
                    .computeIfAbsent(
                            field.getContainingType().getFullName(), name -> new TreeMap<>())
                    .put(field.getNumber(), file);
        }
    }

    /** {@return the answer to a request} */
    ServerReflectionResponse answer(ServerReflectionRequest request) {
        ServerReflectionResponse.Builder answer =
                ServerReflectionResponse.newBuilder()
                        .setValidHost(request.getHost())
                        .setOriginalRequest(request);
        switch (request.getMessageRequestCase()) {
            case LIST_SERVICES -> answer.setListServicesResponse(services());
            case FILE_BY_FILENAME -> file(answer, files.get(request.getFileByFilename()));
            case FILE_CONTAINING_SYMBOL ->
                    file(answer, symbols.get(request.getFileContainingSymbol()));
            case FILE_CONTAINING_EXTENSION ->
                    file(
                            answer,
                            extensionsOf(request.getFileContainingExtension().getContainingType())
                                    .get(
                                            request.getFileContainingExtension()
                                                    .getExtensionNumber()));
            case ALL_EXTENSION_NUMBERS_OF_TYPE ->
                    numbers(answer, request.getAllExtensionNumbersOfType());
            case MESSAGEREQUEST_NOT_SET ->
                    fail(answer, GrpcStatus.INVALID_ARGUMENT, "message_request: not set");
        }
        return answer.build();
    }

    private Map<Integer, FileDescriptor> extensionsOf(String type) {
        return extensions.getOrDefault(type, Map.of());
    }

    private ListServiceResponse services() {
        ListServiceResponse.Builder list = ListServiceResponse.newBuilder();
        for (ServiceDescriptor service : server.services()) {
            list.addService(named(service.getFullName()));
        }
        return list.addService(named(Builtins.HEALTH))
                .addService(named(Builtins.REFLECTION))
                .build();
    }

    private static ServiceResponse named(String name) {
        return ServiceResponse.newBuilder().setName(name).build();
    }

    /** The file and all that it imports: tools then need no further request. */
    private static void file(ServerReflectionResponse.Builder answer, FileDescriptor file) {
        if (file == null) {
            fail(answer, GrpcStatus.NOT_FOUND, "file: none with that name");
            return;
        }
        Map<String, FileDescriptor> found = new LinkedHashMap<>();
        collect(file, found);
        FileDescriptorResponse.Builder all = FileDescriptorResponse.newBuilder();
        found.values().forEach(each -> all.addFileDescriptorProto(each.toProto().toByteString()));
        answer.setFileDescriptorResponse(all);
    }

    private static void collect(FileDescriptor file, Map<String, FileDescriptor> found) {
        if (found.putIfAbsent(file.getFullName(), file) == null) {
            file.getDependencies().forEach(each -> collect(each, found));
        }
    }

    private void numbers(ServerReflectionResponse.Builder answer, String type) {
        if (!symbols.containsKey(type)) {
            fail(answer, GrpcStatus.NOT_FOUND, "type: none with that name");
            return;
        }
        answer.setAllExtensionNumbersResponse(
                ExtensionNumberResponse.newBuilder()
                        .setBaseTypeName(type)
                        .addAllExtensionNumber(extensionsOf(type).keySet()));
    }

    private static void fail(
            ServerReflectionResponse.Builder answer, GrpcStatus status, String text) {
        answer.setErrorResponse(
                ErrorResponse.newBuilder().setErrorCode(status.code()).setErrorMessage(text));
    }
}
