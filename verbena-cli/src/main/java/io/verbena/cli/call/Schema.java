// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.call;

import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import com.google.protobuf.Descriptors.DescriptorValidationException;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Descriptors.ServiceDescriptor;
import com.google.protobuf.TypeRegistry;
import io.verbena.tools.ToolException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Services and messages that are known only at run time. Immutable. */
final class Schema {
    private final Collection<FileDescriptor> files;

    private Schema(Collection<FileDescriptor> files) {
        this.files = List.copyOf(files);
    }

    /**
     * {@return the schema defined by files}
     *
     * @param set the files with all their imports, in any order
     */
    static Schema of(FileDescriptorSet set) {
        Map<String, FileDescriptorProto> sources = new LinkedHashMap<>();
        set.getFileList().forEach(file -> sources.put(file.getName(), file));
        Map<String, FileDescriptor> built = new LinkedHashMap<>();
        sources.keySet().forEach(name -> build(name, sources, built, new ArrayList<>()));
        return new Schema(built.values());
    }

    private static FileDescriptor build(
            String name,
            Map<String, FileDescriptorProto> sources,
            Map<String, FileDescriptor> built,
            List<String> importers) {
        FileDescriptor ready = built.get(name);
        if (ready != null) {
            return ready;
        }
        FileDescriptorProto source = sources.get(name);
        if (source == null || importers.contains(name)) {
            throw new ToolException(
                    "schema: " + name + " is missing or imports itself (expected: all imports)");
        }
        importers.add(name);
        FileDescriptor[] imports =
                source.getDependencyList().stream()
                        .map(each -> build(each, sources, built, importers))
                        .toArray(FileDescriptor[]::new);
        importers.remove(name);
        try {
            FileDescriptor file = FileDescriptor.buildFrom(source, imports);
            built.put(name, file);
            return file;
        } catch (DescriptorValidationException e) {
            throw new ToolException("schema: " + name + ": " + e.getMessage(), e);
        }
    }

    /** {@return all messages, for decoding an {@code Any}} */
    TypeRegistry types() {
        TypeRegistry.Builder types = TypeRegistry.newBuilder();
        files.forEach(file -> types.add(file.getMessageTypes()));
        return types.build();
    }

    /**
     * {@return a method by its name}
     *
     * @param name {@code package.Service.Method}, where the package may be omitted
     */
    MethodDescriptor method(String name) {
        int dot = Math.max(name.lastIndexOf('.'), name.lastIndexOf('/'));
        if (dot <= 0) {
            throw new ToolException("method: " + name + " (expected: Service.Method)");
        }
        ServiceDescriptor service = service(name.substring(0, dot));
        MethodDescriptor method = service.findMethodByName(name.substring(dot + 1));
        if (method == null) {
            throw new ToolException(
                    "method: "
                            + name.substring(dot + 1)
                            + " (expected: one of "
                            + service.getMethods().stream().map(MethodDescriptor::getName).toList()
                            + ")");
        }
        return method;
    }

    private ServiceDescriptor service(String name) {
        List<ServiceDescriptor> all =
                files.stream().flatMap(file -> file.getServices().stream()).toList();
        return all.stream()
                .filter(each -> each.getFullName().equals(name) || each.getName().equals(name))
                .findFirst()
                .orElseThrow(
                        () ->
                                new ToolException(
                                        "service: "
                                                + name
                                                + " (expected: one of "
                                                + all.stream()
                                                        .map(ServiceDescriptor::getFullName)
                                                        .toList()
                                                + ")"));
    }
}
