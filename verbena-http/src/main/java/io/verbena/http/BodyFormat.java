// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import java.util.Locale;
import java.util.Optional;

/** How messages are written in bodies. */
enum BodyFormat {
    JSON("application/json"),
    PROTO("application/proto");

    private final String contentType;

    BodyFormat(String contentType) {
        this.contentType = contentType;
    }

    String contentType() {
        return contentType;
    }

    /**
     * {@return the format of a content type} As in brpc, what is not protobuf is taken for JSON:
     * curl says that everything is a form.
     *
     * @param contentType of a request
     */
    static BodyFormat of(Optional<String> contentType) {
        String type = contentType.orElse("").split(";", -1)[0].strip().toLowerCase(Locale.ROOT);
        return switch (type) {
            case "application/proto", "application/protobuf", "application/x-protobuf" -> PROTO;
            default -> JSON;
        };
    }
}
