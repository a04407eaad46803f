// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.call;

import com.google.protobuf.DescriptorProtos.DescriptorProto;
import com.google.protobuf.DescriptorProtos.EnumDescriptorProto;
import com.google.protobuf.DescriptorProtos.FieldDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import com.google.protobuf.DescriptorProtos.MethodDescriptorProto;
import com.google.protobuf.DescriptorProtos.ServiceDescriptorProto;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Makes descriptors of the definitions that brpc's page {@code /protobufs} shows, one file for each
 * package. The page lists services and the messages they use, but no enumerations outside of
 * messages: fields of such types become numbers, which look the same on the wire.
 */
final class BrpcSchema {
    private final Map<String, FileDescriptorProto.Builder> files = new TreeMap<>();

    /** The package of each message, nested ones included, by its full name. */
    private final Map<String, String> messages = new HashMap<>();

    private final Set<String> enumerations = new HashSet<>();

    private BrpcSchema() {}

    /**
     * {@return the descriptors}
     *
     * @param definitions by full names
     */
    static FileDescriptorSet of(Map<String, String> definitions) {
        BrpcSchema schema = new BrpcSchema();
        definitions.forEach(
                (name, text) -> {
                    if (!definitions.containsKey(parent(name))) {
                        schema.add(parent(name), new ProtoText(text));
                    }
                });
        FileDescriptorSet.Builder set = FileDescriptorSet.newBuilder();
        schema.files.values().forEach(file -> set.addFile(schema.link(file)));
        return set.build();
    }

    private static String parent(String name) {
        return name.substring(0, Math.max(0, name.lastIndexOf('.')));
    }

    private void add(String packageName, ProtoText text) {
        FileDescriptorProto.Builder file =
                files.computeIfAbsent(
                        packageName,
                        name ->
                                FileDescriptorProto.newBuilder()
                                        .setName(fileName(name))
                                        .setPackage(name)
                                        .setSyntax("proto2"));
        if (text.isService()) {
            file.addService(text.service());
            return;
        }
        DescriptorProto message = text.message();
        file.addMessageType(message);
        if (text.isProto3()) {
            file.setSyntax("proto3");
        }
        index(packageName, packageName.isEmpty() ? "" : "." + packageName, message);
    }

    private static String fileName(String packageName) {
        return packageName + ".proto";
    }

    private void index(String packageName, String scope, DescriptorProto message) {
        String name = scope + "." + message.getName();
        messages.put(name, packageName);
        for (EnumDescriptorProto type : message.getEnumTypeList()) {
            enumerations.add(name + "." + type.getName());
            messages.put(name + "." + type.getName(), packageName);
        }
        message.getNestedTypeList().forEach(nested -> index(packageName, name, nested));
    }

    private FileDescriptorProto link(FileDescriptorProto.Builder file) {
        Set<String> imported = new HashSet<>();
        for (DescriptorProto.Builder message : file.getMessageTypeBuilderList()) {
            link(message, imported);
        }
        for (ServiceDescriptorProto service : file.getServiceList()) {
            for (MethodDescriptorProto method : service.getMethodList()) {
                note(method.getInputType(), imported);
                note(method.getOutputType(), imported);
            }
        }
        imported.remove(file.getPackage());
        imported.stream().sorted().map(BrpcSchema::fileName).forEach(file::addDependency);
        return file.build();
    }

    private void link(DescriptorProto.Builder message, Set<String> imported) {
        message.getNestedTypeBuilderList().forEach(nested -> link(nested, imported));
        for (FieldDescriptorProto.Builder field : message.getFieldBuilderList()) {
            if (!field.hasTypeName()) {
                continue;
            }
            boolean isEntry = !field.getTypeName().startsWith(".");
            if (enumerations.contains(field.getTypeName())) {
                field.setType(FieldDescriptorProto.Type.TYPE_ENUM);
            } else if (isEntry || messages.containsKey(field.getTypeName())) {
                field.setType(FieldDescriptorProto.Type.TYPE_MESSAGE);
            } else {
                field.clearTypeName().setType(FieldDescriptorProto.Type.TYPE_INT32);
            }
            note(field.getTypeName(), imported);
        }
    }

    private void note(String type, Set<String> imported) {
        String owner = messages.get(type);
        if (owner != null) {
            imported.add(owner);
        }
    }
}
