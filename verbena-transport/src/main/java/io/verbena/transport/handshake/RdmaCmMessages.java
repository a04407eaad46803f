// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.handshake;

import io.verbena.transport.rdma.Hello;
import io.verbena.verbs.Gid;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * The messages of the older handshake, all big-endian.
 *
 * <pre>
 *   client, TCP:             "RDMA", token u32
 *   server, TCP:             id u64, 0 if it does no RDMA
 *   client, private data:    id u64, token u32, rq_size u32, sq_size u32, block_size u32
 *   server, private data:    rq_size u32, sq_size u32, block_size u32
 *   server, in a rejection:  the reason in ASCII, or nothing
 * </pre>
 *
 * <p>A token never looks like the length of a hello of version 2, so a server can tell the
 * handshakes apart by the first six bytes.
 */
final class RdmaCmMessages {
    /** The length of the client's and of the server's message on TCP. */
    static final int LENGTH = 8;

    /** How many bytes tell the two handshakes apart. */
    static final int DISTINCT_BYTES = 6;

    /** The minimum upper half of a token. */
    private static final int LEAST_TOKEN_HIGH = HelloV2.MAX_LENGTH + 1;

    private static final int REQUEST_LENGTH = 24;
    private static final int ANSWER_LENGTH = 12;

    private RdmaCmMessages() {}

    /**
     * What a client's connection request carries.
     *
     * @param id which connection, as sent by the server on TCP
     * @param token what the client sent on TCP
     * @param limits sizes of the client's queues and blocks; the request contains nothing else
     */
    record Request(long id, int token, Hello limits) {}

    /** {@return a token} All possible tokens are equally likely. */
    static int token(RandomGenerator random) {
        int high = random.nextInt(LEAST_TOKEN_HIGH, 1 << Short.SIZE);
        return high << Short.SIZE | random.nextInt(1 << Short.SIZE);
    }

    /** {@return whether a client's first bytes begin this handshake} */
    static boolean begins(ByteBuffer bytes) {
        return HelloVersion.V2.mayBegin(bytes)
                && Short.toUnsignedInt(bytes.getShort(bytes.position() + HelloV2.LENGTH_OFFSET))
                        >= LEAST_TOKEN_HIGH;
    }

    static byte[] encodeClient(int token) {
        return ByteBuffer.allocate(LENGTH).putInt(HelloVersion.V2.magic()).putInt(token).array();
    }

    static byte[] encodeServer(long id) {
        return ByteBuffer.allocate(LENGTH).putLong(id).array();
    }

    static byte[] encodeRequest(long id, int token, Hello mine) {
        ByteBuffer out = ByteBuffer.allocate(REQUEST_LENGTH).putLong(id).putInt(token);
        return limits(out, mine).array();
    }

    static byte[] encodeAnswer(Hello mine) {
        return limits(ByteBuffer.allocate(ANSWER_LENGTH), mine).array();
    }

    /**
     * {@return what a connection request says; nothing if its private data is not of this
     * handshake}
     */
    static Optional<Request> decodeRequest(byte[] privateData) {
        if (privateData.length < REQUEST_LENGTH) {
            return Optional.empty();
        }
        ByteBuffer in = ByteBuffer.wrap(privateData);
        long id = in.getLong();
        int token = in.getInt();
        return decodeLimits(in).map(limits -> new Request(id, token, limits));
    }

    /** {@return the server's sizes; nothing if they cannot be used} */
    static Optional<Hello> decodeAnswer(byte[] privateData) {
        return privateData.length < ANSWER_LENGTH
                ? Optional.empty()
                : decodeLimits(ByteBuffer.wrap(privateData));
    }

    static byte[] encodeRejection(String reason) {
        return reason.getBytes(StandardCharsets.US_ASCII);
    }

    /**
     * {@return why the server refused; empty if it does not say} The connection manager pads with
     * zeros. Nothing but printable characters is taken: the text ends up in a log.
     */
    static String decodeRejection(byte[] privateData) {
        int length = 0;
        while (length < privateData.length
                && privateData[length] >= ' '
                && privateData[length] <= '~') {
            length++;
        }
        return new String(privateData, 0, length, StandardCharsets.US_ASCII);
    }

    private static ByteBuffer limits(ByteBuffer out, Hello mine) {
        return out.putInt(mine.receiveQueueSize())
                .putInt(mine.sendQueueSize())
                .putInt(mine.blockSize());
    }

    private static Optional<Hello> decodeLimits(ByteBuffer in) {
        int receiveQueueSize = in.getInt();
        int sendQueueSize = in.getInt();
        int blockSize = in.getInt();
        // Refuses negative values as well: nobody has queues or blocks of that size.
        return HelloLimits.objection(blockSize, sendQueueSize, receiveQueueSize).isPresent()
                ? Optional.empty()
                : Optional.of(
                        new Hello(
                                blockSize,
                                sendQueueSize,
                                receiveQueueSize,
                                0,
                                Gid.ZERO,
                                0,
                                Optional.empty()));
    }
}
