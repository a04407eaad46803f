// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.Descriptors.ServiceDescriptor;
import io.verbena.rpc.spi.ServerView;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The schema of the services and their messages: a list; {@code /protobufs/NAME} shows one of them,
 * and {@code /protobufs?format=descriptors} is a {@code FileDescriptorSet} with which programs can
 * call the services.
 */
final class ProtobufsPage implements Page {
    private static final String DESCRIPTORS = "descriptors";

    @Override
    public String name() {
        return "protobufs";
    }

    @Override
    public String description() {
        return "services and messages; ?format=descriptors as a FileDescriptorSet";
    }

    @Override
    public PageContent show(PageRequest request) throws RefusedRequestException {
        Map<String, FileDescriptor> files = files(request.server());
        if (request.parameter("format").orElse("").equals(DESCRIPTORS)) {
            FileDescriptorSet.Builder set = FileDescriptorSet.newBuilder();
            files.values().forEach(file -> set.addFile(file.toProto()));
            return new RawContent(BodyFormat.PROTO.contentType(), set.build().toByteArray());
        }
        Map<String, String> definitions = definitions(request.server(), files);
        if (request.below().isEmpty()) {
            return list(definitions);
        }
        String definition = definitions.get(request.below());
        if (definition == null) {
            throw PageRequest.notFound("type: unknown (expected: a name listed by /protobufs)");
        }
        return RawContent.text(definition);
    }

    /** {@return the files of all services, each after those it imports} */
    private static Map<String, FileDescriptor> files(ServerView server) {
        Map<String, FileDescriptor> files = new LinkedHashMap<>();
        for (ServiceDescriptor service : server.services()) {
            add(service.getFile(), files);
        }
        return files;
    }

    private static void add(FileDescriptor file, Map<String, FileDescriptor> files) {
        if (!files.containsKey(file.getFullName())) {
            file.getDependencies().forEach(imported -> add(imported, files));
            files.put(file.getFullName(), file);
        }
    }

    private static Map<String, String> definitions(
            ServerView server, Map<String, FileDescriptor> files) {
        Map<String, String> definitions = new LinkedHashMap<>();
        for (ServiceDescriptor service : server.services()) {
            definitions.put(service.getFullName(), service.toProto().toString());
        }
        for (FileDescriptor file : files.values()) {
            for (Descriptor message : file.getMessageTypes()) {
                definitions.put(message.getFullName(), message.toProto().toString());
            }
        }
        return definitions;
    }

    private static Document list(Map<String, String> definitions) {
        List<List<Object>> rows = new ArrayList<>();
        for (String name : definitions.keySet()) {
            rows.add(List.of(new Document.Link(name, "/protobufs/" + name)));
        }
        return new Document("protobufs").table("types", List.of("name"), rows);
    }
}
