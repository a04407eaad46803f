// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.call;

import com.google.protobuf.DescriptorProtos.DescriptorProto;
import com.google.protobuf.DescriptorProtos.EnumDescriptorProto;
import com.google.protobuf.DescriptorProtos.FieldDescriptorProto;
import com.google.protobuf.DescriptorProtos.MessageOptions;
import com.google.protobuf.DescriptorProtos.MethodDescriptorProto;
import com.google.protobuf.DescriptorProtos.OneofDescriptorProto;
import com.google.protobuf.DescriptorProtos.ServiceDescriptorProto;
import io.verbena.tools.ToolException;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads a message or a service as protobuf's C++ library prints it: the language of {@code .proto}
 * files with full names of types. Options are skipped. One thread.
 */
final class ProtoText {
    private static final Pattern TOKEN =
            Pattern.compile("\\s*(?://[^\n]*\\s*)*([\\w.+-]+|\"(?:[^\"\\\\]|\\\\.)*\"|[^\\s\\w])");

    private final String text;
    private final Matcher tokens;
    private String next = "";
    private boolean hasImplicitLabels;

    ProtoText(String text) {
        this.text = text;
        this.tokens = TOKEN.matcher(text);
        advance();
    }

    /** {@return whether it defines a service, not a message} */
    boolean isService() {
        return next.equals("service");
    }

    /** {@return whether fields had no label, as in proto3} */
    boolean isProto3() {
        return hasImplicitLabels;
    }

    ServiceDescriptorProto service() {
        expect("service");
        ServiceDescriptorProto.Builder service = ServiceDescriptorProto.newBuilder();
        service.setName(take());
        expect("{");
        while (!next.equals("}")) {
            if (tookIf("rpc")) {
                service.addMethod(method());
            } else {
                skipStatement();
            }
        }
        return service.build();
    }

    private MethodDescriptorProto method() {
        MethodDescriptorProto.Builder method = MethodDescriptorProto.newBuilder().setName(take());
        expect("(");
        method.setClientStreaming(tookIf("stream")).setInputType(take());
        expect(")");
        expect("returns");
        expect("(");
        method.setServerStreaming(tookIf("stream")).setOutputType(take());
        expect(")");
        skipStatement();
        return method.build();
    }

    DescriptorProto message() {
        expect("message");
        return body(DescriptorProto.newBuilder().setName(take()));
    }

    private DescriptorProto body(DescriptorProto.Builder message) {
        expect("{");
        while (!tookIf("}")) {
            switch (next) {
                case "message" -> message.addNestedType(message());
                case "enum" -> message.addEnumType(enumeration());
                case "oneof" -> oneof(message);
                case "option", "extensions", "reserved", "extend" -> skipStatement();
                case "map" -> map(message);
                default -> message.addField(field(label()));
            }
        }
        return message.build();
    }

    private FieldDescriptorProto.Label label() {
        for (FieldDescriptorProto.Label label : FieldDescriptorProto.Label.values()) {
            if (tookIf(label.name().substring("LABEL_".length()).toLowerCase(Locale.ROOT))) {
                return label;
            }
        }
        hasImplicitLabels = true;
        return FieldDescriptorProto.Label.LABEL_OPTIONAL;
    }

    private FieldDescriptorProto field(FieldDescriptorProto.Label label) {
        FieldDescriptorProto.Builder field = FieldDescriptorProto.newBuilder().setLabel(label);
        type(field, take());
        field.setName(take());
        expect("=");
        field.setNumber(number());
        skipStatement();
        return field.build();
    }

    /** Messages and enumerations look the same here: who links the types knows which is which. */
    private static void type(FieldDescriptorProto.Builder field, String name) {
        for (FieldDescriptorProto.Type type : FieldDescriptorProto.Type.values()) {
            if (type.name().equals("TYPE_" + name.toUpperCase(Locale.ROOT))) {
                field.setType(type);
                return;
            }
        }
        field.setTypeName(name);
    }

    private void oneof(DescriptorProto.Builder message) {
        expect("oneof");
        int index = message.getOneofDeclCount();
        message.addOneofDecl(OneofDescriptorProto.newBuilder().setName(take()));
        expect("{");
        while (!tookIf("}")) {
            message.addField(
                    field(FieldDescriptorProto.Label.LABEL_OPTIONAL).toBuilder()
                            .setOneofIndex(index));
        }
    }

    /** A map is a repeated message with a key and a value. */
    private void map(DescriptorProto.Builder message) {
        expect("map");
        expect("<");
        FieldDescriptorProto.Builder key = entryField("key", 1);
        expect(",");
        FieldDescriptorProto.Builder value = entryField("value", 2);
        expect(">");
        String name = take();
        expect("=");
        int number = number();
        skipStatement();
        String entry = entryName(name);
        message.addNestedType(
                DescriptorProto.newBuilder()
                        .setName(entry)
                        .addField(key)
                        .addField(value)
                        .setOptions(MessageOptions.newBuilder().setMapEntry(true)));
        message.addField(
                FieldDescriptorProto.newBuilder()
                        .setName(name)
                        .setNumber(number)
                        .setLabel(FieldDescriptorProto.Label.LABEL_REPEATED)
                        .setTypeName(entry));
    }

    private FieldDescriptorProto.Builder entryField(String name, int number) {
        FieldDescriptorProto.Builder field =
                FieldDescriptorProto.newBuilder()
                        .setName(name)
                        .setNumber(number)
                        .setLabel(FieldDescriptorProto.Label.LABEL_OPTIONAL);
        type(field, take());
        return field;
    }

    /** {@return the name that protoc gives to the entries of a map} */
    private static String entryName(String field) {
        StringBuilder name = new StringBuilder();
        for (String word : field.split("_", -1)) {
            if (!word.isEmpty()) {
                name.append(Character.toUpperCase(word.charAt(0))).append(word.substring(1));
            }
        }
        return name.append("Entry").toString();
    }

    private EnumDescriptorProto enumeration() {
        expect("enum");
        EnumDescriptorProto.Builder type = EnumDescriptorProto.newBuilder().setName(take());
        expect("{");
        while (!tookIf("}")) {
            if (next.equals("option") || next.equals("reserved")) {
                skipStatement();
                continue;
            }
            var value = type.addValueBuilder().setName(take());
            expect("=");
            value.setNumber(number());
            skipStatement();
        }
        return type.build();
    }

    private int number() {
        String digits = take();
        try {
            return Integer.decode(digits);
        } catch (NumberFormatException e) {
            throw wrong("a number", digits, e);
        }
    }

    /** Skips to the end of a statement: its semicolon, or its block. */
    private void skipStatement() {
        int depth = 0;
        while (true) {
            String token = take();
            switch (token) {
                case "{", "[" -> depth++;
                case "}", "]" -> {
                    depth--;
                    if (depth == 0 && token.equals("}")) {
                        boolean _ = tookIf(";");
                        return;
                    }
                }
                case ";" -> {
                    if (depth == 0) {
                        return;
                    }
                }
                default -> {}
            }
        }
    }

    private boolean tookIf(String token) {
        if (next.equals(token)) {
            advance();
            return true;
        }
        return false;
    }

    private void expect(String token) {
        if (!tookIf(token)) {
            throw wrong(token, next, null);
        }
    }

    private String take() {
        String token = next;
        if (token.isEmpty()) {
            throw wrong("more", "the end", null);
        }
        advance();
        return token;
    }

    private void advance() {
        next = tokens.find() ? tokens.group(1) : "";
    }

    private ToolException wrong(String expected, String found, Throwable cause) {
        String start = text.lines().findFirst().orElse("");
        return new ToolException(
                "schema: " + start + ": " + found + " (expected: " + expected + ")", cause);
    }
}
