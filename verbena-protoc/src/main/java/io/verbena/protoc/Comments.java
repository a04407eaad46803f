// SPDX-License-Identifier: Apache-2.0
package io.verbena.protoc;

import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.ServiceDescriptorProto;
import com.google.protobuf.DescriptorProtos.SourceCodeInfo.Location;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Descriptors.ServiceDescriptor;
import java.util.ArrayList;
import java.util.List;

/** Finds the comments of a {@code .proto} file and turns them into Javadoc. */
final class Comments {
    private Comments() {}

    /** {@return the lines of the comment on a service; none if it has no comment} */
    static List<String> of(ServiceDescriptor service) {
        return at(
                service.getFile(),
                List.of(FileDescriptorProto.SERVICE_FIELD_NUMBER, service.getIndex()));
    }

    /** {@return the lines of the comment on a method; none if it has no comment} */
    static List<String> of(MethodDescriptor method) {
        return at(
                method.getFile(),
                List.of(
                        FileDescriptorProto.SERVICE_FIELD_NUMBER,
                        method.getService().getIndex(),
                        ServiceDescriptorProto.METHOD_FIELD_NUMBER,
                        method.getIndex()));
    }

    private static List<String> at(FileDescriptor file, List<Integer> path) {
        for (Location location : file.toProto().getSourceCodeInfo().getLocationList()) {
            if (location.getPathList().equals(path)) {
                String text =
                        location.hasLeadingComments()
                                ? location.getLeadingComments()
                                : location.getTrailingComments();
                return javadoc(text);
            }
        }
        return List.of();
    }

    /** {@return a comment as lines of Javadoc: plain text, an empty line begins a paragraph} */
    static List<String> javadoc(String comment) {
        List<String> lines = new ArrayList<>();
        boolean isParagraphOver = false;
        for (String raw : comment.strip().split("\n", -1)) {
            String line = escape(raw.strip());
            if (line.isEmpty()) {
                isParagraphOver = !lines.isEmpty();
            } else if (isParagraphOver) {
                lines.add("");
                lines.add("<p>" + line);
                isParagraphOver = false;
            } else {
                lines.add(line);
            }
        }
        return lines;
    }

    /** No tags, no end of the comment, no Unicode escapes. */
    private static String escape(String line) {
        return line.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("@", "&#64;")
                .replace("*/", "*&#47;")
                .replace("/*", "&#47;*")
                .replace("\\", "&#92;");
    }
}
