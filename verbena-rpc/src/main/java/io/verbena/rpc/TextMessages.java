// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.Message;
import com.google.protobuf.TextFormat;
import com.google.protobuf.UninitializedMessageException;
import io.verbena.rpc.spi.MessageFormat;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** Protobuf's text format. */
final class TextMessages implements MessageFormat {
    @Override
    public int contentType() {
        return ContentType.PROTO_TEXT.code();
    }

    @Override
    public byte[] write(Message message) {
        return TextFormat.printer().printToString(message).getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public Message read(byte[] bytes, Message prototype) throws IOException {
        Message.Builder builder = prototype.newBuilderForType();
        TextFormat.getParser().merge(new String(bytes, StandardCharsets.UTF_8), builder);
        if (!builder.isInitialized()) {
            throw new UninitializedMessageException(builder.buildPartial())
                    .asInvalidProtocolBufferException();
        }
        return builder.build();
    }
}
