// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.naming;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** A name server that answers every question with one SRV record. */
final class FakeNameServer implements AutoCloseable {
    private static final int QUESTION = 12;
    private static final int SRV = 33;
    private static final int IN = 1;

    private final DatagramSocket socket;

    FakeNameServer() throws IOException {
        socket = new DatagramSocket(0, InetAddress.getLoopbackAddress());
        Thread.ofPlatform().daemon().name("fake-name-server").start(this::serve);
    }

    String url() {
        return "dns://127.0.0.1:" + socket.getLocalPort();
    }

    private void serve() {
        byte[] bytes = new byte[512];
        while (!socket.isClosed()) {
            try {
                DatagramPacket question = new DatagramPacket(bytes, bytes.length);
                socket.receive(question);
                byte[] answer = answer(bytes, question.getLength());
                socket.send(new DatagramPacket(answer, answer.length, question.getSocketAddress()));
            } catch (IOException e) {
                return;
            }
        }
    }

    private static byte[] answer(byte[] question, int length) {
        int end = QUESTION;
        while (question[end] != 0) {
            end += question[end] + 1;
        }
        int questionBytes = end + 1 + 4 - QUESTION;
        ByteBuffer answer = ByteBuffer.allocate(512);
        answer.put(question, 0, 2);
        answer.putShort((short) 0x8180).putShort((short) 1).putShort((short) 1);
        answer.putShort((short) 0).putShort((short) 0);
        answer.put(question, QUESTION, Math.min(questionBytes, length - QUESTION));
        answer.putShort((short) 0xc00c).putShort((short) SRV).putShort((short) IN).putInt(5);
        ByteBuffer data = ByteBuffer.allocate(64);
        data.putShort((short) 10).putShort((short) 60).putShort((short) 8002);
        for (String label : new String[] {"a", "example"}) {
            data.put((byte) label.length()).put(label.getBytes(StandardCharsets.US_ASCII));
        }
        data.put((byte) 0).flip();
        answer.putShort((short) data.remaining()).put(data).flip();
        byte[] bytes = new byte[answer.remaining()];
        answer.get(bytes);
        return bytes;
    }

    @Override
    public void close() {
        socket.close();
    }
}
