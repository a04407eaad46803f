// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

/** How messages are encoded on the wire; brpc's {@code ContentType}. */
public enum ContentType {
    /** Protobuf's binary format. */
    PROTOBUF(0),
    /** JSON as brpc maps it: the names of the {@code .proto} file. Needs {@code verbena-http}. */
    JSON(1),
    /** JSON as protobuf maps it. Needs {@code verbena-http}. */
    PROTO_JSON(2),
    /** Protobuf's text format. */
    PROTO_TEXT(3);

    private static final ContentType[] ALL = values();

    private final int code;

    ContentType(int code) {
        this.code = code;
    }

    /** {@return its number on the wire} */
    public int code() {
        return code;
    }

    /** {@return whether a number names a type} */
    static boolean isKnown(int code) {
        return code >= 0 && code < ALL.length;
    }

    /** {@return the type with a number that {@link #isKnown}} */
    static ContentType of(int code) {
        return ALL[code];
    }
}
