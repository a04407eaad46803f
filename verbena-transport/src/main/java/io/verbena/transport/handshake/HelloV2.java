// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.handshake;

import io.verbena.transport.rdma.Hello;
import io.verbena.verbs.Gid;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * The hello of version 2, and as much of version 1 as is needed to refuse it. Big-endian, packed:
 *
 * <pre>
 *   0  magic "RDMA"       10  block_size u32     18  lid u16
 *   4  msg_len u16        14  sq_size u16        20  gid, 16 bytes
 *   6  hello_ver u16      16  rq_size u16        36  qp_num u32
 *   8  impl_ver u16
 * </pre>
 *
 * <p>Version 1 has a block_size of 16 bits and is two bytes shorter.
 */
final class HelloV2 {
    /**
     * The length of a hello without extensions. Never send more: old peers do not skip extensions.
     */
    static final int LENGTH = 40;

    /** The maximum length of an extended hello. */
    static final int MAX_LENGTH = 4096;

    /** The length of a hello of version 1. */
    static final int V1_LENGTH = 38;

    /** Where the length of the message is. */
    static final int LENGTH_OFFSET = 4;

    /** Where the version of the message is. */
    static final int VERSION_OFFSET = 6;

    /** What is before block_size: magic, length and two versions. */
    private static final int HEADER_LENGTH = 10;

    private static final int HELLO_VERSION = 2;
    private static final int IMPLEMENTATION_VERSION = 1;

    /** The hello_ver of a server that does no RDMA at all. */
    private static final int VERSION_OF_TCP_SERVER = 0xFFFF;

    /** The hello_ver of a server that does RDMA, but not now. */
    private static final int VERSION_OF_REFUSAL = 0;

    private HelloV2() {}

    static byte[] encode(Hello hello) {
        byte[] bytes = header(LENGTH, HELLO_VERSION, IMPLEMENTATION_VERSION);
        ByteBuffer out = ByteBuffer.wrap(bytes).position(HEADER_LENGTH);
        out.putInt(hello.blockSize());
        out.putShort((short) hello.sendQueueSize()).putShort((short) hello.receiveQueueSize());
        out.putShort((short) hello.lid()).put(hello.gid().toBytes());
        out.putInt(hello.queuePairNumber());
        return bytes;
    }

    /** {@return the answer of a server that does RDMA, but not now or not with this peer} */
    static byte[] encodeRefusal() {
        return header(LENGTH, VERSION_OF_REFUSAL, 0);
    }

    /** {@return the answer of a server that does no RDMA at all} */
    static byte[] encodeTcpServer() {
        return header(LENGTH, VERSION_OF_TCP_SERVER, 0);
    }

    /** {@return the refusal in the form that a client of version 1 reads} */
    static byte[] encodeRefusalOfV1() {
        return header(V1_LENGTH, VERSION_OF_REFUSAL, 0);
    }

    /**
     * {@return what a hello says}
     *
     * @param bytes the message; everything after its first {@value #LENGTH} bytes is ignored
     */
    static ReceivedHello decode(byte[] bytes) {
        ByteBuffer in = ByteBuffer.wrap(bytes).position(VERSION_OFFSET);
        int helloVersion = Short.toUnsignedInt(in.getShort());
        int implementationVersion = Short.toUnsignedInt(in.getShort());
        if (helloVersion != HELLO_VERSION || implementationVersion != IMPLEMENTATION_VERSION) {
            return refusal("hello_ver/impl_ver", helloVersion + "/" + implementationVersion);
        }
        long blockSize = Integer.toUnsignedLong(in.getInt());
        int sendQueueSize = Short.toUnsignedInt(in.getShort());
        int receiveQueueSize = Short.toUnsignedInt(in.getShort());
        int lid = Short.toUnsignedInt(in.getShort());
        Gid gid = new Gid(in.getLong(), in.getLong());
        int number = in.getInt();
        Optional<String> objection =
                HelloLimits.objection(blockSize, sendQueueSize, receiveQueueSize);
        if (objection.isPresent()) {
            return new ReceivedHello.Refusal(HelloVersion.V2, objection.get());
        }
        int block = (int) Math.min(blockSize, Integer.MAX_VALUE);
        return new ReceivedHello.Offer(
                HelloVersion.V2,
                new Hello(
                        block,
                        sendQueueSize,
                        receiveQueueSize,
                        lid,
                        gid,
                        number,
                        Optional.empty()));
    }

    private static ReceivedHello refusal(String name, String value) {
        return new ReceivedHello.Refusal(
                HelloVersion.V2,
                name
                        + ": "
                        + value
                        + " (expected: "
                        + HELLO_VERSION
                        + "/"
                        + IMPLEMENTATION_VERSION
                        + ")");
    }

    private static byte[] header(int length, int helloVersion, int implementationVersion) {
        return ByteBuffer.allocate(length)
                .putInt(HelloVersion.V2.magic())
                .putShort((short) length)
                .putShort((short) helloVersion)
                .putShort((short) implementationVersion)
                .array();
    }
}
