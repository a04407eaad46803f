// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.memory.BlockPool;
import io.verbena.memory.BlockPoolOptions;
import io.verbena.memory.IOBuf;
import io.verbena.rpc.test.PerfTestRequest;
import io.verbena.rpc.test.PerfTestResponse;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The bytes of brpc, as a fixed baseline. */
class FrameBaselineTest {
    private static final HexFormat HEX = HexFormat.of();

    private static final String REQUEST =
            "50525043000000300000002a0a1c0a14"
                    + HEX.formatHex("test.PerfTestService".getBytes(StandardCharsets.US_ASCII))
                    + "1204"
                    + HEX.formatHex("Test".getBytes(StandardCharsets.US_ASCII))
                    + "1800200728045000580062000800"
                    + "61626364";

    private static final String RESPONSE =
            "50525043000000100000000e1202080018002007500058006200" + "0a00";

    private final BlockPool pool =
            BlockPool.unregistered(BlockPoolOptions.DEFAULT.withSizesMb(32, 32));
    private final MetaWriter writer = new MetaWriter();
    private final FrameCutter cutter = new FrameCutter();

    @AfterEach
    void close() {
        pool.close();
    }

    private String hex(IOBuf frame) {
        return HEX.formatHex(frame.toByteArray());
    }

    @Test
    void shouldWriteARequestAsBrpcDoes() {
        try (IOBuf frame = pool.buffer()) {
            writer.begin();
            writer.request(MetaWriter.names("test.PerfTestService", "Test"), 0, "", 0);
            writer.common(Compression.NONE, 7, 4);
            writer.withoutChecksum();
            writer.endWithMessage(
                    PerfTestRequest.newBuilder().setEchoAttachment(false).build(), 4, frame);
            frame.append("abcd");

            assertThat(hex(frame)).isEqualTo(REQUEST);
        }
    }

    @Test
    void shouldWriteAResponseAsBrpcDoes() {
        try (IOBuf frame = pool.buffer()) {
            writer.begin();
            writer.response(0, "");
            writer.common(Compression.NONE, 7, 0);
            writer.withoutChecksum();
            writer.endWithMessage(PerfTestResponse.newBuilder().setCpuUsage("").build(), 0, frame);

            assertThat(hex(frame)).isEqualTo(RESPONSE);
        }
    }

    @Test
    void shouldReadARequestOfBrpc() throws Exception {
        try (IOBuf received = pool.buffer();
                IOBuf attachment = pool.buffer()) {
            received.append(HEX.parseHex(REQUEST)).append("next");

            assertThat(cutter.next(received, 1 << 20)).isEqualTo(FrameCutter.Result.READY);
            assertThat(cutter.meta().hasRequest()).isTrue();
            assertThat(cutter.meta().serviceName().toText()).isEqualTo("test.PerfTestService");
            assertThat(cutter.meta().methodName().toText()).isEqualTo("Test");
            assertThat(cutter.meta().correlationId()).isEqualTo(7);
            assertThat(cutter.meta().attachmentSize()).isEqualTo(4);
            assertThat(cutter.parse(PerfTestRequest.getDefaultInstance()).getEchoAttachment())
                    .isFalse();
            cutter.cutAttachment(received, attachment);
            assertThat(attachment.toText()).isEqualTo("abcd");
            assertThat(received.toText()).isEqualTo("next");
        }
    }

    @Test
    void shouldReadAResponseOfBrpc() throws Exception {
        try (IOBuf received = pool.buffer()) {
            received.append(HEX.parseHex(RESPONSE));

            assertThat(cutter.next(received, 1 << 20)).isEqualTo(FrameCutter.Result.READY);
            assertThat(cutter.meta().hasResponse()).isTrue();
            assertThat(cutter.meta().errorCode()).isZero();
            assertThat(cutter.parse(PerfTestResponse.getDefaultInstance()).getCpuUsage()).isEmpty();
            cutter.skip(received);
            assertThat(received.isEmpty()).isTrue();
        }
    }

    @Test
    void shouldWaitForEveryByteOfAFrame() {
        byte[] bytes = HEX.parseHex(REQUEST);
        for (int count = 1; count < bytes.length; count++) {
            try (IOBuf received = pool.buffer()) {
                received.append(bytes, 0, count);
                assertThat(cutter.next(received, 1 << 20)).isEqualTo(FrameCutter.Result.NEED_MORE);
            }
        }
    }

    @Test
    void shouldTellOtherProtocolsFromItsOwn() {
        for (String other :
                new String[] {"G", "GET / HTTP/1.1\r\n", "PRPD12345678", "PR!", "STRM"}) {
            try (IOBuf received = pool.buffer()) {
                received.append(other);
                assertThat(cutter.next(received, 1 << 20))
                        .as(other)
                        .isEqualTo(FrameCutter.Result.NOT_MINE);
            }
        }
    }

    @Test
    void shouldRefuseSizesThatCannotBe() {
        try (IOBuf received = pool.buffer()) {
            received.append(HEX.parseHex("5052504300000004" + "00000005"));
            assertThat(cutter.next(received, 1 << 20)).isEqualTo(FrameCutter.Result.BROKEN);
            received.clear();
            // its meta, with a correlation id, says whom to tell
            received.append(HEX.parseHex("50525043ffffffff" + "00000002"));
            assertThat(cutter.next(received, 1 << 20)).isEqualTo(FrameCutter.Result.NEED_MORE);
            received.append(HEX.parseHex("2007"));
            assertThat(cutter.next(received, 1 << 20)).isEqualTo(FrameCutter.Result.TOO_LARGE);
            assertThat(cutter.meta().correlationId()).isEqualTo(7);
            received.clear();
            received.append(HEX.parseHex("5052504302000000" + "01000000"));
            assertThat(cutter.next(received, 1L << 40)).isEqualTo(FrameCutter.Result.BROKEN);
        }
    }

    @Test
    void shouldMaskTheChecksumAsBrpcDoes() throws Exception {
        // CRC-32C of "123456789" is 0xe3069283, the check value of its specification
        try (IOBuf payload = pool.buffer();
                IOBuf attachment = pool.buffer()) {
            payload.append("12345");
            attachment.append("6789");
            int expected = Integer.rotateRight(0xe3069283, 15) + 0xa282ead8;

            assertThat(Checksum.of(payload, attachment)).isEqualTo(expected);
        }
    }
}
