// SPDX-License-Identifier: Apache-2.0
package io.verbena.protoc;

import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.DescriptorValidationException;
import com.google.protobuf.Descriptors.EnumDescriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.GeneratorNames;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The files of one run of protoc, and the classes that protoc itself generates from them. */
final class ProtoFiles {
    private final Map<String, FileDescriptor> files = new LinkedHashMap<>();
    private final Set<String> classes = new HashSet<>();

    private ProtoFiles() {}

    /** {@return the files, which come in the order of their imports} */
    static ProtoFiles of(List<FileDescriptorProto> protos) throws DescriptorValidationException {
        ProtoFiles all = new ProtoFiles();
        for (FileDescriptorProto proto : protos) {
            FileDescriptor[] imports =
                    proto.getDependencyList().stream()
                            .map(all.files::get)
                            .filter(file -> file != null)
                            .toArray(FileDescriptor[]::new);
            FileDescriptor file = FileDescriptor.buildFrom(proto, imports);
            all.files.put(proto.getName(), file);
            all.addClasses(file);
        }
        return all;
    }

    FileDescriptor file(String name) {
        return files.get(name);
    }

    private void addClasses(FileDescriptor file) {
        String javaPackage = GeneratorNames.getFileJavaPackage(file);
        classes.add(qualified(javaPackage, GeneratorNames.getFileClassName(file)));
        for (Descriptor message : file.getMessageTypes()) {
            String name = GeneratorNames.getQualifiedClassName(message);
            classes.add(name);
            classes.add(name + "OrBuilder");
        }
        for (EnumDescriptor type : file.getEnumTypes()) {
            classes.add(GeneratorNames.getQualifiedClassName(type));
        }
        if (file.getOptions().getJavaGenericServices()
                && file.getOptions().getJavaMultipleFiles()) {
            file.getServices().forEach(s -> classes.add(qualified(javaPackage, s.getName())));
        }
    }

    /** {@return whether protoc generates a top-level class of that name} */
    boolean isTaken(String javaPackage, String name) {
        return classes.contains(qualified(javaPackage, name));
    }

    static String qualified(String javaPackage, String name) {
        return javaPackage.isEmpty() ? name : javaPackage + "." + name;
    }
}
