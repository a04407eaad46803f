// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import com.google.protobuf.Descriptors.ServiceDescriptor;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.TypeRegistry;
import com.google.protobuf.UninitializedMessageException;
import com.google.protobuf.util.JsonFormat;
import io.verbena.memory.IOBuf;
import io.verbena.memory.ProtobufCodec;
import java.io.IOException;
import java.util.Collection;

/**
 * Converts messages to bodies and back. JSON is protobuf's own mapping with the names of the {@code
 * .proto} file; as in brpc, unknown fields are ignored. Any thread.
 */
final class MessageCodec {
    /** How JSON names fields. Both are read. */
    enum Names {
        /** As the {@code .proto} file does. */
        OF_THE_PROTO,
        /** As protobuf does by default. */
        IN_CAMEL_CASE
    }

    private final JsonFormat.Parser parser;
    private final JsonFormat.Printer printer;

    /**
     * A codec with the names of the {@code .proto} file.
     *
     * @param services the services; their messages may also be inside an {@code Any}
     */
    MessageCodec(Collection<ServiceDescriptor> services) {
        this(services, Names.OF_THE_PROTO);
    }

    /**
     * A codec.
     *
     * @param services the services; their messages may also be inside an {@code Any}
     * @param names how JSON names fields
     */
    MessageCodec(Collection<ServiceDescriptor> services, Names names) {
        TypeRegistry.Builder types = TypeRegistry.newBuilder();
        for (ServiceDescriptor service : services) {
            types.add(service.getFile().getMessageTypes());
        }
        TypeRegistry registry = types.build();
        this.parser = JsonFormat.parser().usingTypeRegistry(registry).ignoringUnknownFields();
        JsonFormat.Printer camelCase =
                JsonFormat.printer().usingTypeRegistry(registry).omittingInsignificantWhitespace();
        this.printer =
                names == Names.OF_THE_PROTO ? camelCase.preservingProtoFieldNames() : camelCase;
    }

    /** {@return the message of a body, which stays in its buffer} */
    Message read(BodyFormat format, IOBuf body, Message prototype) throws IOException {
        return switch (format) {
            case PROTO -> ProtobufCodec.parse(body, prototype.getParserForType());
            case JSON -> readJson(body.toText(), prototype);
        };
    }

    /** {@return the message that a text stands for} */
    Message readJson(String text, Message prototype) throws InvalidProtocolBufferException {
        Message.Builder builder = prototype.newBuilderForType();
        if (!text.isBlank()) {
            SealedMessages.check(prototype);
            parser.merge(text, builder);
        }
        if (!builder.isInitialized()) {
            throw new UninitializedMessageException(builder.buildPartial())
                    .asInvalidProtocolBufferException();
        }
        return builder.build();
    }

    /** Appends a message. */
    void write(BodyFormat format, Message message, IOBuf target) throws IOException {
        switch (format) {
            case PROTO -> ProtobufCodec.append(message, target);
            case JSON -> target.append(writeJson(message));
        }
    }

    /** {@return a message as text} */
    String writeJson(Message message) throws IOException {
        SealedMessages.check(message);
        return printer.print(message);
    }
}
