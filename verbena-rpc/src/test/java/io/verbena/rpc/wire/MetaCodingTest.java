// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.wire;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.verbena.memory.BlockPool;
import io.verbena.memory.BlockPoolOptions;
import io.verbena.memory.IOBuf;
import io.verbena.rpc.wire.proto.RpcRequestMeta;
import io.verbena.rpc.wire.proto.RpcResponseMeta;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;

/** The hand-written encoding equals protobuf's. */
class MetaCodingTest {
    private static final int CASES = 2000;

    private final BlockPool pool =
            BlockPool.unregistered(BlockPoolOptions.DEFAULT.withSizesMb(32, 32));
    private final MetaWriter writer = new MetaWriter();
    private final MetaReader reader = new MetaReader();
    private final RpcMeta meta = new RpcMeta();

    @AfterEach
    void close() {
        pool.close();
    }

    private static long number(Random random) {
        return switch (random.nextInt(4)) {
            case 0 -> 0;
            case 1 -> random.nextInt(200);
            case 2 -> random.nextLong();
            default -> random.nextInt();
        };
    }

    private static String text(Random random) {
        StringBuilder text = new StringBuilder();
        int length = random.nextInt(5) == 0 ? random.nextInt(300) : random.nextInt(20);
        for (int i = 0; i < length; i++) {
            text.append(random.nextInt(10) == 0 ? 'ü' : (char) ('a' + random.nextInt(26)));
        }
        return text.toString();
    }

    private io.verbena.rpc.wire.proto.RpcMeta written() throws Exception {
        try (IOBuf frame = pool.buffer()) {
            writer.end(frame);
            byte[] bytes = frame.toByteArray();
            return io.verbena.rpc.wire.proto.RpcMeta.parseFrom(
                    Arrays.copyOfRange(bytes, FrameHeader.HEADER_BYTES, bytes.length));
        }
    }

    @RepeatedTest(3)
    void shouldWriteWhatProtobufReads(RepetitionInfo info) throws Exception {
        Random random = new Random(info.getCurrentRepetition());
        for (int i = 0; i < CASES; i++) {
            String service = text(random);
            String method = text(random);
            long logId = number(random);
            String requestId = text(random);
            int timeoutMs = (int) number(random);
            long correlation = number(random);
            Map<String, String> fields = new LinkedHashMap<>();
            for (int k = random.nextInt(4); k > 0; k--) {
                fields.put(text(random), text(random));
            }

            writer.begin();
            writer.request(MetaWriter.names(service, method), logId, requestId, timeoutMs);
            writer.common(2, correlation, 17);
            writer.authentication(new byte[] {1, 2});
            writer.userFields(fields);
            writer.checksum(0, 0x01020304, true);
            var read = written();

            assertThat(read.getRequest().getServiceName()).isEqualTo(service);
            assertThat(read.getRequest().getMethodName()).isEqualTo(method);
            assertThat(read.getRequest().getLogId()).isEqualTo(logId);
            assertThat(read.getRequest().getRequestId()).isEqualTo(requestId);
            assertThat(read.getRequest().getTimeoutMs()).isEqualTo(timeoutMs);
            assertThat(read.getCorrelationId()).isEqualTo(correlation);
            assertThat(read.getCompressType()).isEqualTo(2);
            assertThat(read.getAttachmentSize()).isEqualTo(17);
            assertThat(read.getAuthenticationData().toByteArray()).containsExactly(1, 2);
            assertThat(read.getUserFieldsMap()).isEqualTo(fields);
            assertThat(read.getChecksumValue().toByteArray()).containsExactly(1, 2, 3, 4);
            assertThat(read.getChecksumWithAttachment()).isTrue();
        }
    }

    @RepeatedTest(2)
    void shouldWriteResponsesThatProtobufReads(RepetitionInfo info) throws Exception {
        Random random = new Random(info.getCurrentRepetition());
        for (int i = 0; i < CASES; i++) {
            int code = (int) number(random);
            String text = text(random);

            writer.begin();
            writer.response(code, text);
            writer.common(0, 1, 0);
            writer.withoutChecksum();
            var read = written();

            assertThat(read.getResponse().getErrorCode()).isEqualTo(code);
            assertThat(read.getResponse().getErrorText()).isEqualTo(text);
            assertThat(read.hasAttachmentSize()).isFalse();
        }
    }

    @RepeatedTest(3)
    void shouldReadWhatProtobufWrites(RepetitionInfo info) {
        Random random = new Random(info.getCurrentRepetition());
        for (int i = 0; i < CASES; i++) {
            var expected = randomMeta(random);
            byte[] bytes = expected.toByteArray();

            assertThat(reader.read(bytes, bytes.length, meta)).isTrue();

            assertThat(meta.hasRequest()).isEqualTo(expected.hasRequest());
            assertThat(meta.serviceName().toText())
                    .isEqualTo(expected.getRequest().getServiceName());
            assertThat(meta.methodName().toText()).isEqualTo(expected.getRequest().getMethodName());
            assertThat(meta.logId()).isEqualTo(expected.getRequest().getLogId());
            assertThat(meta.traceId()).isEqualTo(expected.getRequest().getTraceId());
            assertThat(meta.spanId()).isEqualTo(expected.getRequest().getSpanId());
            assertThat(meta.parentSpanId()).isEqualTo(expected.getRequest().getParentSpanId());
            assertThat(meta.requestId().toText()).isEqualTo(expected.getRequest().getRequestId());
            assertThat(meta.timeoutMs()).isEqualTo(expected.getRequest().getTimeoutMs());
            assertThat(meta.hasResponse()).isEqualTo(expected.hasResponse());
            assertThat(meta.errorCode()).isEqualTo(expected.getResponse().getErrorCode());
            assertThat(meta.errorText().toText()).isEqualTo(expected.getResponse().getErrorText());
            assertThat(meta.correlationId()).isEqualTo(expected.getCorrelationId());
            assertThat(meta.attachmentSize()).isEqualTo(expected.getAttachmentSize());
            assertThat(meta.compressType()).isEqualTo(expected.getCompressType());
            assertThat(meta.contentType()).isEqualTo(expected.getContentType());
            assertThat(meta.checksumType()).isEqualTo(expected.getChecksumType());
            assertThat(meta.checksumValue().toByteArray())
                    .isEqualTo(expected.getChecksumValue().toByteArray());
            assertThat(meta.authentication().toByteArray())
                    .isEqualTo(expected.getAuthenticationData().toByteArray());
            assertThat(meta.userFields()).isEqualTo(expected.getUserFieldsMap());
        }
    }

    private static io.verbena.rpc.wire.proto.RpcMeta randomMeta(Random random) {
        var meta = io.verbena.rpc.wire.proto.RpcMeta.newBuilder();
        if (random.nextBoolean()) {
            meta.setRequest(
                    RpcRequestMeta.newBuilder()
                            .setServiceName(text(random))
                            .setMethodName(text(random))
                            .setLogId(number(random))
                            .setTraceId(number(random))
                            .setSpanId(number(random))
                            .setParentSpanId(number(random))
                            .setRequestId(text(random))
                            .setTimeoutMs((int) number(random)));
        } else {
            meta.setResponse(
                    RpcResponseMeta.newBuilder()
                            .setErrorCode((int) number(random))
                            .setErrorText(text(random)));
        }
        meta.setCorrelationId(number(random)).setAttachmentSize((int) number(random));
        meta.setCompressType((int) number(random)).setContentType((int) number(random));
        meta.setChecksumType((int) number(random));
        meta.setChecksumValue(ByteString.copyFromUtf8(text(random)));
        meta.setAuthenticationData(ByteString.copyFromUtf8(text(random)));
        for (int k = random.nextInt(6); k > 0; k--) {
            meta.putUserFields(text(random), text(random));
        }
        return meta.build();
    }
}
