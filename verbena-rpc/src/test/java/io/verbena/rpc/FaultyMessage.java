// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.AbstractMessage;
import com.google.protobuf.AbstractParser;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.ExtensionRegistryLite;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.Parser;
import com.google.protobuf.UnknownFieldSet;
import io.verbena.testing.Thrown;
import java.io.IOException;
import java.util.Map;

/**
 * A message whose own code throws: when it is written, and when one is parsed that contains {@link
 * #TRIGGER}. Other ones are parsed as they are.
 */
final class FaultyMessage extends AbstractMessage {
    static final String TRIGGER = "boom";

    private final Message real;
    private final Thrown thrown;

    FaultyMessage(Message real, Thrown thrown) {
        this.real = real;
        this.thrown = thrown;
    }

    @Override
    public void writeTo(CodedOutputStream output) throws IOException {
        thrown.raise();
    }

    @Override
    public Parser<? extends Message> getParserForType() {
        return new AbstractParser<>() {
            @Override
            public Message parsePartialFrom(CodedInputStream input, ExtensionRegistryLite registry)
                    throws InvalidProtocolBufferException {
                Message parsed = real.getParserForType().parsePartialFrom(input, registry);
                if (parsed.toString().contains(TRIGGER)) {
                    thrown.raise();
                }
                return parsed;
            }
        };
    }

    @Override
    public int getSerializedSize() {
        return real.getSerializedSize();
    }

    @Override
    public boolean isInitialized() {
        return true;
    }

    @Override
    public Message getDefaultInstanceForType() {
        return this;
    }

    @Override
    public Message.Builder newBuilderForType() {
        return real.newBuilderForType();
    }

    @Override
    public Message.Builder toBuilder() {
        return real.toBuilder();
    }

    @Override
    public Descriptor getDescriptorForType() {
        return real.getDescriptorForType();
    }

    @Override
    public Map<FieldDescriptor, Object> getAllFields() {
        return real.getAllFields();
    }

    @Override
    public boolean hasField(FieldDescriptor field) {
        return real.hasField(field);
    }

    @Override
    public Object getField(FieldDescriptor field) {
        return real.getField(field);
    }

    @Override
    public int getRepeatedFieldCount(FieldDescriptor field) {
        return real.getRepeatedFieldCount(field);
    }

    @Override
    public Object getRepeatedField(FieldDescriptor field, int index) {
        return real.getRepeatedField(field, index);
    }

    @Override
    public UnknownFieldSet getUnknownFields() {
        return real.getUnknownFields();
    }
}
