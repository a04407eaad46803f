// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.wire;

import java.util.Map;
import java.util.Optional;

/**
 * Decodes the meta of a frame into an {@link RpcMeta}, which is reused for the next one.
 *
 * <p>The bytes come from a peer and are not trusted: whatever they contain, the result is a return
 * value. Unknown fields are skipped, as protobuf does.
 *
 * <p>Threads: one at a time.
 */
public final class MetaReader {
    private static final int VARINT = 0;
    private static final int FIXED64 = 1;
    private static final int DELIMITED = 2;
    private static final int FIXED32 = 5;

    /** Written at the end of a number that is too long or cut off. */
    private static final int MAX_VARINT_BYTES = 10;

    private byte[] bytes = {};
    private int position;
    private int limit;
    private boolean isBroken;

    /** A reader. */
    public MetaReader() {}

    /**
     * {@return whether the bytes are a meta} If not, the content of the target is meaningless.
     *
     * @param source the bytes; the target refers to them
     * @param length how many bytes to read, from the first
     * @param target receives the values
     */
    public boolean read(byte[] source, int length, RpcMeta target) {
        begin(source, 0, length);
        target.reset(source);
        while (position < limit && !isBroken) {
            readField(target);
        }
        return !isBroken && target.isComplete();
    }

    private void readField(RpcMeta target) {
        int tag = (int) varint();
        switch (tag) {
            case RpcMeta.REQUEST << 3 | DELIMITED -> readRequest(target);
            case RpcMeta.RESPONSE << 3 | DELIMITED -> readResponse(target);
            case RpcMeta.COMPRESS_TYPE << 3 -> target.compressType = (int) varint();
            case RpcMeta.CORRELATION_ID << 3 -> target.correlationId = varint();
            case RpcMeta.ATTACHMENT_SIZE << 3 -> target.attachmentSize = (int) varint();
            case RpcMeta.AUTHENTICATION_DATA << 3 | DELIMITED -> slice(target.authentication);
            case RpcMeta.STREAM_SETTINGS << 3 | DELIMITED -> slice(target.streamSettings);
            case RpcMeta.USER_FIELDS << 3 | DELIMITED -> readUserField(target);
            case RpcMeta.CONTENT_TYPE << 3 -> target.contentType = (int) varint();
            case RpcMeta.CHECKSUM_TYPE << 3 -> target.checksumType = (int) varint();
            case RpcMeta.CHECKSUM_VALUE << 3 | DELIMITED -> slice(target.checksumValue);
            case RpcMeta.CHECKSUM_WITH_ATTACHMENT << 3 ->
                    target.isChecksumWithAttachment = varint() != 0;
            default -> skip(tag);
        }
    }

    private void readRequest(RpcMeta target) {
        int end = enter();
        int outer = limit;
        if (isBroken) {
            return;
        }
        limit = end;
        target.hasRequest = true;
        while (position < limit && !isBroken) {
            readRequestField(target);
        }
        limit = outer;
    }

    private void readRequestField(RpcMeta target) {
        int tag = (int) varint();
        switch (tag) {
            case RpcMeta.SERVICE_NAME << 3 | DELIMITED -> slice(target.serviceName);
            case RpcMeta.METHOD_NAME << 3 | DELIMITED -> slice(target.methodName);
            case RpcMeta.LOG_ID << 3 -> target.logId = varint();
            case RpcMeta.TRACE_ID << 3 -> target.traceId = varint();
            case RpcMeta.SPAN_ID << 3 -> target.spanId = varint();
            case RpcMeta.PARENT_SPAN_ID << 3 -> target.parentSpanId = varint();
            case RpcMeta.REQUEST_ID << 3 | DELIMITED -> slice(target.requestId);
            case RpcMeta.TIMEOUT_MS << 3 -> target.timeoutMs = (int) varint();
            default -> skip(tag);
        }
    }

    private void readResponse(RpcMeta target) {
        int end = enter();
        int outer = limit;
        if (isBroken) {
            return;
        }
        limit = end;
        target.hasResponse = true;
        while (position < limit && !isBroken) {
            int tag = (int) varint();
            switch (tag) {
                case RpcMeta.ERROR_CODE << 3 -> target.errorCode = (int) varint();
                case RpcMeta.ERROR_TEXT << 3 | DELIMITED -> slice(target.errorText);
                default -> skip(tag);
            }
        }
        limit = outer;
    }

    /** Only notes where they are: they are decoded on demand. */
    private void readUserField(RpcMeta target) {
        int end = enter();
        if (!isBroken) {
            target.addUserField(position, end - position);
            position = end;
        }
    }

    /**
     * Decodes an entry of a map of texts.
     *
     * @param source the array that contains it
     * @param offset its first byte
     * @param length its length
     * @param target receives the entry, unless it is malformed
     */
    static void readEntry(byte[] source, int offset, int length, Map<String, String> target) {
        MetaReader reader = new MetaReader();
        reader.begin(source, offset, length);
        Slice key = new Slice();
        Slice value = new Slice();
        while (reader.position < reader.limit && !reader.isBroken) {
            int tag = (int) reader.varint();
            switch (tag) {
                case RpcMeta.MAP_KEY << 3 | DELIMITED -> reader.slice(key);
                case RpcMeta.MAP_VALUE << 3 | DELIMITED -> reader.slice(value);
                default -> reader.skip(tag);
            }
        }
        if (!reader.isBroken) {
            target.put(key.toText(), value.toText());
        }
    }

    /**
     * {@return whether the bytes are the meta of a stream frame} If not, the content of the target
     * is meaningless.
     *
     * @param source the bytes
     * @param length how many bytes to read, from the first
     * @param target receives the values
     */
    public boolean readStream(byte[] source, int length, StreamMeta target) {
        begin(source, 0, length);
        target.reset();
        while (position < limit && !isBroken) {
            readStreamField(target);
        }
        return !isBroken && target.hasStreamId;
    }

    private void begin(byte[] source, int offset, int length) {
        bytes = source;
        position = offset;
        limit = offset + length;
        isBroken = false;
    }

    private void readStreamField(StreamMeta target) {
        int tag = (int) varint();
        switch (tag) {
            case StreamMeta.STREAM_ID << 3 -> {
                target.streamId = varint();
                target.hasStreamId = true;
            }
            case StreamMeta.SOURCE_STREAM_ID << 3 -> {
                target.sourceStreamId = varint();
                target.hasSource = true;
            }
            case StreamMeta.FRAME_TYPE << 3 -> target.frameType = (int) varint();
            case StreamMeta.HAS_CONTINUATION << 3 -> target.hasContinuation = varint() != 0;
            case StreamMeta.FEEDBACK_PART << 3 | DELIMITED -> readFeedback(target);
            default -> skip(tag);
        }
    }

    private void readFeedback(StreamMeta target) {
        int end = enter();
        int outer = limit;
        if (isBroken) {
            return;
        }
        limit = end;
        while (position < limit && !isBroken) {
            int tag = (int) varint();
            if (tag == StreamMeta.CONSUMED_SIZE << 3) {
                target.consumedSize = varint();
            } else {
                skip(tag);
            }
        }
        limit = outer;
    }

    /**
     * {@return the streams that a request or response offers; empty if the field is malformed, or
     * there are too many}
     *
     * @param field the field of the meta
     */
    public static Optional<StreamSettings> readSettings(Slice field) {
        byte[] source = field.toByteArray();
        MetaReader reader = new MetaReader();
        reader.begin(source, 0, source.length);
        StreamSettings settings = new StreamSettings();
        while (reader.position < reader.limit && !reader.isBroken) {
            reader.readSetting(settings);
        }
        return reader.isBroken || !settings.hasFirst ? Optional.empty() : Optional.of(settings);
    }

    private void readSetting(StreamSettings target) {
        int tag = (int) varint();
        switch (tag) {
            case StreamSettings.STREAM_ID << 3 -> target.first(varint());
            case StreamSettings.NEED_FEEDBACK << 3 -> target.isFeedbackNeeded = varint() != 0;
            case StreamSettings.WRITABLE << 3 -> target.isWritable = varint() != 0;
            case StreamSettings.EXTRA_STREAM_IDS << 3 -> readExtra(target);
            case StreamSettings.EXTRA_STREAM_IDS << 3 | DELIMITED -> {
                int end = enter();
                while (position < end && !isBroken) {
                    readExtra(target);
                }
            }
            default -> skip(tag);
        }
    }

    private void readExtra(StreamSettings target) {
        if (!target.tryAdd(varint())) {
            isBroken = true;
        }
    }

    private void slice(Slice target) {
        int end = enter();
        if (!isBroken) {
            target.set(bytes, position, end - position);
            position = end;
        }
    }

    /** {@return the end of the bytes whose length comes next} */
    private int enter() {
        long length = varint();
        if (length < 0 || length > limit - position) {
            isBroken = true;
            return position;
        }
        return position + (int) length;
    }

    private void skip(int tag) {
        if (tag >>> 3 == 0) {
            isBroken = true;
            return;
        }
        switch (tag & 7) {
            case VARINT -> varint();
            case FIXED64 -> advance(Long.BYTES);
            case DELIMITED -> position = enter();
            case FIXED32 -> advance(Integer.BYTES);
            default -> isBroken = true;
        }
    }

    private void advance(int count) {
        if (count > limit - position) {
            isBroken = true;
        } else {
            position += count;
        }
    }

    private long varint() {
        long value = 0;
        for (int i = 0; i < MAX_VARINT_BYTES; i++) {
            if (position >= limit) {
                break;
            }
            byte next = bytes[position++];
            value |= (next & 0x7fL) << i * 7;
            if (next >= 0) {
                return value;
            }
        }
        isBroken = true;
        return 0;
    }
}
