// SPDX-License-Identifier: Apache-2.0
package io.verbena.testing;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;

/**
 * A name server that a test plays: answers as the test says, over UDP, and over TCP what is too
 * long for that. One question at a time.
 */
public final class PlayedNameServer implements AutoCloseable {
    /** Decides what is answered. */
    @FunctionalInterface
    public interface Zone {
        /**
         * {@return the records of a name: addresses, or services such as {@code 10 60 8002
         * a.example}} A name without records of any type is unknown.
         *
         * @param name without a dot at its end
         * @param type A, AAAA or SRV
         * @throws Exception if the answer shall be that the server failed, for this type
         */
        List<String> records(String name, String type) throws Exception;
    }

    private static final Map<Integer, String> TYPES = Map.of(1, "A", 28, "AAAA", 33, "SRV");
    private static final int HEADER = 12;
    private static final int MOST_OVER_UDP = 512;
    private static final int MOST_OVER_TCP = 0xffff;
    private static final int TTL_SECONDS = 5;
    private static final int TCP_LIMIT_MS = 10_000;

    /** In place of a name: the name that the question is about. */
    private static final int SAME_NAME = 0xc000 | HEADER;

    /** Flags: an answer, by the server that the zone belongs to. */
    private static final int ANSWER = 0x8580;

    private static final int TRUNCATED = 0x0200;
    private static final int FAILED = 2;
    private static final int UNKNOWN_NAME = 3;

    private final Zone zone;
    private final ServerSocket connections;
    private final DatagramSocket datagrams;

    /**
     * Starts it on a free port of the loopback address.
     *
     * @param zone decides what is answered
     * @throws IOException if it cannot listen
     */
    public PlayedNameServer(Zone zone) throws IOException {
        this(FreePort.choose(), zone);
    }

    /**
     * Starts it on a port of the loopback address.
     *
     * @param port for UDP and TCP
     * @param zone decides what is answered
     * @throws IOException if it cannot listen
     */
    public PlayedNameServer(int port, Zone zone) throws IOException {
        this.zone = zone;
        connections = new ServerSocket(port, 10, InetAddress.getLoopbackAddress());
        datagrams = new DatagramSocket(port, InetAddress.getLoopbackAddress());
        Thread.ofPlatform().daemon().name("name-server-tcp").start(this::serveConnections);
        Thread.ofPlatform().daemon().name("name-server-udp").start(this::serveDatagrams);
    }

    /** {@return {@code host:port}} */
    public String address() {
        return "127.0.0.1:" + datagrams.getLocalPort();
    }

    private void serveDatagrams() {
        byte[] bytes = new byte[MOST_OVER_UDP];
        while (!datagrams.isClosed()) {
            try {
                DatagramPacket query = new DatagramPacket(bytes, bytes.length);
                datagrams.receive(query);
                byte[] answer = answer(Arrays.copyOf(bytes, query.getLength()), MOST_OVER_UDP);
                datagrams.send(new DatagramPacket(answer, answer.length, query.getSocketAddress()));
            } catch (IOException e) {
                // the next one, or closed
            }
        }
    }

    private void serveConnections() {
        while (!connections.isClosed()) {
            try (Socket client = connections.accept()) {
                client.setSoTimeout(TCP_LIMIT_MS);
                DataInputStream in = new DataInputStream(client.getInputStream());
                byte[] query = new byte[in.readUnsignedShort()];
                in.readFully(query);
                byte[] answer = answer(query, MOST_OVER_TCP);
                DataOutputStream out = new DataOutputStream(client.getOutputStream());
                out.writeShort(answer.length);
                out.write(answer);
            } catch (IOException e) {
                // the next one, or closed
            }
        }
    }

    private byte[] answer(byte[] query, int most) throws IOException {
        StringJoiner labels = new StringJoiner(".");
        int end = HEADER;
        for (; query[end] != 0; end += query[end] + 1) {
            labels.add(new String(query, end + 1, query[end], StandardCharsets.US_ASCII));
        }
        String name = labels.toString();
        String type = TYPES.getOrDefault((int) ByteBuffer.wrap(query).getShort(end + 1), "");
        byte[] question = Arrays.copyOfRange(query, HEADER, end + 5);
        List<String> found = List.of();
        boolean isKnown = false;
        boolean isFailed = false;
        for (String each : TYPES.values()) {
            try {
                List<String> records = zone.records(name, each);
                isKnown |= !records.isEmpty();
                found = each.equals(type) ? records : found;
            } catch (Exception e) {
                // what it fails for is there, perhaps
                isKnown = true;
                isFailed |= each.equals(type);
            }
        }
        int code = isFailed ? FAILED : isKnown ? 0 : UNKNOWN_NAME;
        byte[] whole = message(query, question, code, type, found);
        return whole.length <= most
                ? whole
                : message(query, question, TRUNCATED | code, type, List.of());
    }

    private static byte[] message(
            byte[] query, byte[] question, int flags, String type, List<String> records)
            throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream message = new DataOutputStream(bytes);
        message.write(query, 0, Short.BYTES);
        message.writeShort(ANSWER | flags);
        message.writeShort(1);
        message.writeShort(records.size());
        message.writeInt(0);
        message.write(question);
        for (String record : records) {
            byte[] data = data(type, record);
            message.writeShort(SAME_NAME);
            // type and class are the question's, too
            message.write(question, question.length - Integer.BYTES, Integer.BYTES);
            message.writeInt(TTL_SECONDS);
            message.writeShort(data.length);
            message.write(data);
        }
        return bytes.toByteArray();
    }

    private static byte[] data(String type, String record) {
        if (!type.equals("SRV")) {
            return InetAddress.ofLiteral(record).getAddress();
        }
        String[] parts = record.split(" ", -1);
        String host = parts[3];
        ByteBuffer data = ByteBuffer.allocate(3 * Short.BYTES + host.length() + 2);
        for (int i = 0; i < 3; i++) {
            data.putShort((short) Integer.parseInt(parts[i]));
        }
        for (String label : host.split("\\.", -1)) {
            data.put((byte) label.length()).put(label.getBytes(StandardCharsets.US_ASCII));
        }
        return data.put((byte) 0).array();
    }

    @Override
    public void close() throws IOException {
        datagrams.close();
        connections.close();
    }
}
