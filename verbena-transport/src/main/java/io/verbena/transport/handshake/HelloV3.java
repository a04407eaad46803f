// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.handshake;

import io.verbena.transport.rdma.Hello;
import io.verbena.verbs.Gid;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;

/**
 * The hello of version 3: the magic "RDM3", the length of a protobuf message in four bytes, and the
 * message {@code brpc.rdma.RdmaHello}: 1 block_size, 2 sq_size, 3 rq_size, 4 lid, 5 gid, 6 qp_num,
 * all required, and 7 ece. {@code RdmaEce}: 1 vendor_id, 2 options, 3 comp_mask, all required.
 */
final class HelloV3 {
    /** The length of what comes before the message. */
    static final int HEADER_LENGTH = 8;

    /** Where the length of the message is. */
    static final int LENGTH_OFFSET = 4;

    /** The longest message that is read. */
    static final int MAX_MESSAGE_LENGTH = 8192;

    private static final int BLOCK_SIZE = 1;
    private static final int SQ_SIZE = 2;
    private static final int RQ_SIZE = 3;
    private static final int LID = 4;
    private static final int GID = 5;
    private static final int QP_NUM = 6;
    private static final int ECE = 7;

    private static final int ECE_VENDOR_ID = 1;
    private static final int ECE_OPTIONS = 2;
    private static final int ECE_COMP_MASK = 3;

    private static final int GID_LENGTH = 16;
    private static final int MAX_U16 = 0xFFFF;

    /** More than six varints, a gid and three more varints need. */
    private static final int MAX_ENCODED = 128;

    private static final Hello NOTHING = new Hello(0, 0, 0, 0, Gid.ZERO, 0, Optional.empty());

    private final long[] numbers = new long[QP_NUM + 1];
    private int seen;
    private Optional<ByteBuffer> gid = Optional.empty();
    private boolean eceSeen;
    private final long[] ece = new long[ECE_COMP_MASK + 1];
    private int eceFieldsSeen;

    private HelloV3() {}

    static byte[] encode(Hello hello) {
        ByteBuffer out = ByteBuffer.allocate(MAX_ENCODED).position(HEADER_LENGTH);
        ProtobufFields.writeUint32(out, BLOCK_SIZE, hello.blockSize());
        ProtobufFields.writeUint32(out, SQ_SIZE, hello.sendQueueSize());
        ProtobufFields.writeUint32(out, RQ_SIZE, hello.receiveQueueSize());
        ProtobufFields.writeUint32(out, LID, hello.lid());
        ProtobufFields.writeBytes(out, GID, ByteBuffer.wrap(hello.gid().toBytes()));
        ProtobufFields.writeUint32(out, QP_NUM, hello.queuePairNumber());
        hello.ece().ifPresent(options -> writeEce(out, options));
        int length = out.position();
        out.putInt(0, HelloVersion.V3.magic()).putInt(LENGTH_OFFSET, length - HEADER_LENGTH);
        return Arrays.copyOf(out.array(), length);
    }

    /** {@return the answer of a server that does no RDMA, or not with this peer} */
    static byte[] encodeRefusal() {
        return encode(NOTHING);
    }

    /**
     * {@return what a hello says}
     *
     * @param bytes the message, with its header
     * @throws IllegalArgumentException if a required field is missing, or it is not a protobuf
     *     message
     */
    static ReceivedHello decode(byte[] bytes) {
        ByteBuffer body = ByteBuffer.wrap(bytes).position(HEADER_LENGTH).slice();
        HelloV3 message = new HelloV3();
        message.read(new ProtobufFields(body));
        message.checkRequired();
        return message.toReceived();
    }

    private void read(ProtobufFields fields) {
        while (fields.next()) {
            if (fields.is(GID, ProtobufFields.LENGTH_DELIMITED)) {
                gid = Optional.of(fields.readBytes());
            } else if (fields.is(ECE, ProtobufFields.LENGTH_DELIMITED)) {
                eceSeen = true;
                readEce(new ProtobufFields(fields.readBytes()));
            } else {
                readNumber(fields);
            }
        }
    }

    private void readNumber(ProtobufFields fields) {
        for (int field = BLOCK_SIZE; field <= QP_NUM; field++) {
            if (field != GID && fields.is(field, ProtobufFields.VARINT)) {
                numbers[field] = fields.readUint32();
                seen |= 1 << field;
                return;
            }
        }
        fields.skip();
    }

    /** Merges a message that comes twice, as protobuf's parsers do. */
    private void readEce(ProtobufFields fields) {
        while (fields.next()) {
            int field = ECE_VENDOR_ID;
            while (field <= ECE_COMP_MASK && !fields.is(field, ProtobufFields.VARINT)) {
                field++;
            }
            if (field > ECE_COMP_MASK) {
                fields.skip();
            } else {
                ece[field] = fields.readUint32();
                eceFieldsSeen |= 1 << field;
            }
        }
    }

    private void checkRequired() {
        for (int field = BLOCK_SIZE; field <= QP_NUM; field++) {
            if (field == GID ? gid.isEmpty() : (seen & 1 << field) == 0) {
                throw new IllegalArgumentException("RdmaHello: no field " + field + " (required)");
            }
        }
        for (int field = ECE_VENDOR_ID; eceSeen && field <= ECE_COMP_MASK; field++) {
            if ((eceFieldsSeen & 1 << field) == 0) {
                throw new IllegalArgumentException("RdmaEce: no field " + field + " (required)");
            }
        }
    }

    private ReceivedHello toReceived() {
        Optional<String> objection = objection();
        if (objection.isPresent()) {
            return new ReceivedHello.Refusal(HelloVersion.V3, objection.get());
        }
        ByteBuffer id = gid.orElseThrow();
        return new ReceivedHello.Offer(
                HelloVersion.V3,
                new Hello(
                        (int) Math.min(numbers[BLOCK_SIZE], Integer.MAX_VALUE),
                        (int) numbers[SQ_SIZE],
                        (int) numbers[RQ_SIZE],
                        (int) numbers[LID],
                        new Gid(id.getLong(0), id.getLong(Long.BYTES)),
                        (int) numbers[QP_NUM],
                        toEce()));
    }

    private Optional<String> objection() {
        if (gid.orElseThrow().remaining() != GID_LENGTH) {
            return Optional.of(
                    "gid: " + gid.orElseThrow().remaining() + " bytes (expected: 16 bytes)");
        }
        for (int field = SQ_SIZE; field <= LID; field++) {
            if (numbers[field] > MAX_U16) {
                return Optional.of(
                        "field " + field + ": " + numbers[field] + " (expected: at most 65535)");
            }
        }
        if (numbers[QP_NUM] == 0) {
            return Optional.of("qp_num: 0 (expected: a queue pair)");
        }
        return HelloLimits.objection(numbers[BLOCK_SIZE], numbers[SQ_SIZE], numbers[RQ_SIZE]);
    }

    private Optional<Hello.Ece> toEce() {
        return eceSeen
                ? Optional.of(
                        new Hello.Ece(
                                (int) ece[ECE_VENDOR_ID],
                                (int) ece[ECE_OPTIONS],
                                (int) ece[ECE_COMP_MASK]))
                : Optional.empty();
    }

    private static void writeEce(ByteBuffer out, Hello.Ece options) {
        ByteBuffer message = ByteBuffer.allocate(MAX_ENCODED);
        ProtobufFields.writeUint32(message, ECE_VENDOR_ID, options.vendorId());
        ProtobufFields.writeUint32(message, ECE_OPTIONS, options.options());
        ProtobufFields.writeUint32(message, ECE_COMP_MASK, options.compMask());
        ProtobufFields.writeBytes(out, ECE, message.flip());
    }
}
