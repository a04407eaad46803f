// SPDX-License-Identifier: Apache-2.0
package io.verbena.grpc;

import io.netty.handler.codec.http2.Http2Headers;
import java.util.Locale;
import java.util.Map;

/**
 * brpc's user fields as gRPC's metadata, and back. Names are lower case. Values are printable
 * ASCII; bytes go under a name that ends with {@code -bin}, in base64 on both sides.
 */
final class Metadata {
    private static final String BINARY = "-bin";
    private static final String RESERVED = "grpc-";

    private Metadata() {}

    /**
     * Adds all headers that belong to the user. Those with the same name become one, separated by
     * commas, as gRPC allows.
     */
    static void read(Http2Headers headers, Map<String, String> fields) {
        for (Map.Entry<CharSequence, CharSequence> header : headers) {
            String name = header.getKey().toString();
            if (!isReserved(name)) {
                fields.merge(name, header.getValue().toString(), (a, b) -> a + "," + b);
            }
        }
    }

    private static boolean isReserved(String name) {
        return name.startsWith(":")
                || name.startsWith(RESERVED)
                || GrpcNames.CONTENT_TYPE.contentEquals(name)
                || GrpcNames.ERROR_CODE.contentEquals(name)
                || GrpcNames.TE.contentEquals(name);
    }

    /**
     * Adds fields to headers.
     *
     * @throws IllegalArgumentException if one cannot be a header
     */
    static void write(Map<String, String> fields, Http2Headers headers) {
        for (Map.Entry<String, String> field : fields.entrySet()) {
            String name = field.getKey().toLowerCase(Locale.ROOT);
            require(
                    isName(name) && !isReserved(name),
                    "metadata name",
                    name,
                    "letters, digits, '-', '_' and '.', and not one of gRPC's own");
            boolean isValue =
                    name.endsWith(BINARY)
                            ? field.getValue().chars().allMatch(Metadata::isBase64)
                            : field.getValue().chars().allMatch(c -> c >= ' ' && c <= '~');
            require(
                    isValue,
                    "metadata value of",
                    name,
                    "printable ASCII, or base64 under a name that ends with -bin");
            headers.add(name, field.getValue());
        }
    }

    private static void require(boolean isGood, String what, String found, String expected) {
        if (!isGood) {
            throw new IllegalArgumentException(
                    what + ": " + found + " (expected: " + expected + ")");
        }
    }

    private static boolean isName(String name) {
        return !name.isEmpty()
                && name.chars()
                        .allMatch(
                                c ->
                                        c >= 'a' && c <= 'z'
                                                || c >= '0' && c <= '9'
                                                || c == '-'
                                                || c == '_'
                                                || c == '.');
    }

    private static boolean isBase64(int c) {
        return c >= 'a' && c <= 'z'
                || c >= 'A' && c <= 'Z'
                || c >= '0' && c <= '9'
                || c == '+'
                || c == '/'
                || c == '='
                || c == ',';
    }
}
