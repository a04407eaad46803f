// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * The messages on a link between two processes. Whoever opens it says hello, with magic, version
 * and its instance. The other one greets with one byte, which is all that it writes. Then come any
 * number of ATTACH, FREED, QUESTION and ANSWER. Integers are big-endian.
 */
final class LinkCodec {
    static final int MAGIC = 0x5642_4c31;

    static final int VERSION = 4;

    static final int ATTACH = 1;
    static final int FREED = 2;

    /** To be answered once everything before it is done. */
    static final int QUESTION = 3;

    static final int ANSWER = 4;

    private static final int HELLO_BYTES = 16;

    private LinkCodec() {}

    static ByteBuffer hello(long instance) {
        return ByteBuffer.allocate(HELLO_BYTES)
                .putInt(MAGIC)
                .putInt(VERSION)
                .putLong(instance)
                .flip();
    }

    static ByteBuffer greeting() {
        return ByteBuffer.wrap(new byte[] {1});
    }

    static ByteBuffer attach(AttachMessage message) {
        ByteBuffer buffer = ByteBuffer.allocate(Integer.BYTES + AttachMessage.BYTES).putInt(ATTACH);
        message.write(buffer);
        return buffer.flip();
    }

    static ByteBuffer freed(int segment) {
        return ByteBuffer.allocate(2 * Integer.BYTES).putInt(FREED).putInt(segment).flip();
    }

    static ByteBuffer question(long token) {
        return withToken(QUESTION, token);
    }

    static ByteBuffer answer(long token) {
        return withToken(ANSWER, token);
    }

    private static ByteBuffer withToken(int type, long token) {
        return ByteBuffer.allocate(Integer.BYTES + Long.BYTES).putInt(type).putLong(token).flip();
    }

    /** {@return the instance that opened the link} */
    static long readHello(SocketChannel link) throws IOException {
        ByteBuffer buffer = read(link, HELLO_BYTES);
        int magic = buffer.getInt();
        int version = buffer.getInt();
        if (magic != MAGIC || version != VERSION) {
            throw new IOException("a link of another kind: magic " + magic + " version " + version);
        }
        return buffer.getLong();
    }

    /** Hands every message to a peer until the link ends. */
    static void readAll(SocketChannel link, RemotePeer peer) throws IOException {
        while (true) {
            int type = read(link, Integer.BYTES).getInt();
            switch (type) {
                case ATTACH -> peer.onAttach(AttachMessage.read(read(link, AttachMessage.BYTES)));
                case FREED -> peer.onFreed(read(link, Integer.BYTES).getInt());
                case QUESTION -> peer.onQuestion(read(link, Long.BYTES).getLong());
                case ANSWER -> peer.onAnswer(read(link, Long.BYTES).getLong());
                default -> throw new IOException("an unknown message on a link: " + type);
            }
        }
    }

    private static ByteBuffer read(SocketChannel link, int bytes) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(bytes);
        while (buffer.hasRemaining()) {
            if (link.read(buffer) < 0) {
                throw new EOFException("the link ended");
            }
        }
        return buffer.flip();
    }
}
