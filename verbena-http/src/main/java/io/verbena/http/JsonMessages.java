// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import com.google.protobuf.Message;
import io.verbena.rpc.ContentType;
import io.verbena.rpc.spi.MessageFormat;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Messages of {@code baidu_std} as JSON. */
abstract class JsonMessages implements MessageFormat {
    private final ContentType type;
    private final MessageCodec codec;

    JsonMessages(ContentType type, MessageCodec.Names names) {
        this.type = type;
        this.codec = new MessageCodec(List.of(), names);
    }

    @Override
    public int contentType() {
        return type.code();
    }

    @Override
    public byte[] write(Message message) throws IOException {
        return codec.writeJson(message).getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public Message read(byte[] bytes, Message prototype) throws IOException {
        return codec.readJson(new String(bytes, StandardCharsets.UTF_8), prototype);
    }
}
