// SPDX-License-Identifier: Apache-2.0

package io.verbena.lab;

import io.verbena.verbs.AccessFlag;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.ConnectionSettings;
import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.Devices;
import io.verbena.verbs.Gid;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.PathMtu;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairAddress;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.ReceiveWorkRequest;
import io.verbena.verbs.SendWorkRequest;
import io.verbena.verbs.WorkCompletion;
import io.verbena.verbs.WorkCompletionStatus;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;

/**
 * A program for a bad network: one side sends {@link #MESSAGES} numbered messages of many lengths
 * through a queue pair, as many at once as the window allows; the other checks number, length and
 * every byte of each. Both must end with status 0.
 *
 * <p>The queue pairs are connected by hand, over TCP, because the connection manager would give
 * them a retransmission timeout of two seconds.
 */
final class NumberedStream implements AutoCloseable {
    static final int MESSAGES = 10_000;

    private static final int PORT = 18600;
    private static final int SLOT_BYTES = 4096;
    private static final int HEADER_BYTES = Long.BYTES;
    private static final int WINDOW = 64;
    private static final int RECEIVES = 2 * WINDOW;
    private static final Duration LIMIT = Duration.ofMinutes(2);

    private final Arena arena = Arena.ofConfined();
    private final DeviceContext context = Devices.open(Guest.DEVICE);
    private final ProtectionDomain domain = context.allocateProtectionDomain();
    private final CompletionQueue queue = context.createCompletionQueue(RECEIVES + WINDOW);
    private final QueuePair pair =
            domain.createQueuePair(QueuePairOptions.of(queue).withRequests(WINDOW, RECEIVES));
    private final MemoryRegion memory =
            domain.allocate((long) SLOT_BYTES * RECEIVES, AccessFlag.LOCAL_WRITE);
    private final WorkCompletion completions = WorkCompletion.allocate(arena, WINDOW);
    private final SendWorkRequest send = SendWorkRequest.allocate(arena, 1);
    private final ReceiveWorkRequest receive = ReceiveWorkRequest.allocate(arena, 1);
    private long deadline = System.nanoTime() + LIMIT.toNanos();

    /**
     * Runs one side.
     *
     * @param arguments {@code receive}, or {@code send HOST}
     */
    public static void main(String... arguments) throws IOException {
        try (NumberedStream stream = new NumberedStream()) {
            if (arguments[0].equals("send")) {
                stream.send(arguments[1]);
            } else {
                stream.receive();
            }
        }
    }

    private void send(String host) throws IOException {
        try (Socket peer = connect(host)) {
            exchangeAddresses(peer);
            awaitReady(peer);
            int sent = 0;
            int done = 0;
            while (done < MESSAGES) {
                while (sent < MESSAGES && sent - done < WINDOW) {
                    post(sent++);
                }
                done += poll();
            }
            // The other side confirms once it has checked the last one.
            int checked = new DataInputStream(peer.getInputStream()).readInt();
            if (checked != MESSAGES) {
                throw new IllegalStateException("checked by the peer: " + checked);
            }
            System.out.println(MESSAGES + " messages sent");
        }
    }

    private void receive() throws IOException {
        try (ServerSocket listener = new ServerSocket(PORT);
                Socket peer = listener.accept()) {
            exchangeAddresses(peer);
            for (int slot = 0; slot < RECEIVES; slot++) {
                postReceive(slot);
            }
            awaitReady(peer);
            for (int next = 0; next < MESSAGES; ) {
                int count = poll();
                for (int i = 0; i < count; i++) {
                    WorkCompletion completion = completions.at(i);
                    check(next, slot((int) completion.id()), completion.length());
                    postReceive((int) completion.id());
                    next++;
                }
            }
            new DataOutputStream(peer.getOutputStream()).writeInt(MESSAGES);
            System.out.println(MESSAGES + " messages intact and in order");
        }
    }

    private static Socket connect(String host) throws IOException {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (true) {
            Socket socket = new Socket();
            try {
                socket.connect(new InetSocketAddress(host, PORT), (int) LIMIT.toMillis());
                return socket;
            } catch (ConnectException e) {
                socket.close();
                if (System.nanoTime() - deadline > 0) {
                    throw e;
                }
            }
        }
    }

    private void exchangeAddresses(Socket peer) throws IOException {
        Gid gid = context.queryGids(1).get(context.defaultGidIndex(1)).gid();
        DataOutputStream out = new DataOutputStream(peer.getOutputStream());
        out.write(gid.toBytes());
        out.writeInt(pair.number());
        DataInputStream in = new DataInputStream(peer.getInputStream());
        Gid theirs = Gid.of(in.readNBytes(gid.toBytes().length));
        pair.connect(new QueuePairAddress(theirs, 0, in.readInt(), 0), settings());
    }

    /** Neither side sends before the other can receive. */
    private void awaitReady(Socket peer) throws IOException {
        new DataOutputStream(peer.getOutputStream()).writeInt(0);
        new DataInputStream(peer.getInputStream()).readInt();
        deadline = System.nanoTime() + LIMIT.toNanos();
    }

    private ConnectionSettings settings() {
        return ConnectionSettings.of().withPath(1, context.defaultGidIndex(1), PathMtu.MTU_1024, 0);
    }

    private void post(int number) {
        int slot = number % WINDOW;
        int length = lengthOf(number);
        MemorySegment message = slot(slot);
        message.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, number);
        for (int i = HEADER_BYTES; i < length; i++) {
            message.set(ValueLayout.JAVA_BYTE, i, byteOf(number, i));
        }
        send.id(slot)
                .flags(SendWorkRequest.SIGNALED)
                .element(memory, (long) slot * SLOT_BYTES, length);
        if (pair.postSend(send) != 1) {
            throw new IllegalStateException("the send queue is full");
        }
    }

    private void postReceive(int slot) {
        receive.id(slot).element(memory, (long) slot * SLOT_BYTES, SLOT_BYTES);
        if (pair.postReceive(receive) != 1) {
            throw new IllegalStateException("the receive queue is full");
        }
    }

    private int poll() {
        int count = queue.poll(completions);
        for (int i = 0; i < count; i++) {
            if (completions.at(i).status() != WorkCompletionStatus.SUCCESS) {
                throw new IllegalStateException(completions.at(i).toString());
            }
        }
        if (System.nanoTime() - deadline > 0) {
            throw new IllegalStateException("not done after " + LIMIT);
        }
        Thread.onSpinWait();
        return count;
    }

    private MemorySegment slot(int slot) {
        return memory.memory().asSlice((long) slot * SLOT_BYTES, SLOT_BYTES);
    }

    private static void check(int number, MemorySegment message, int length) {
        long found = message.get(ValueLayout.JAVA_LONG_UNALIGNED, 0);
        if (found != number || length != lengthOf(number)) {
            throw new IllegalStateException(
                    "message " + found + " of " + length + " bytes (expected: " + number + ")");
        }
        for (int i = HEADER_BYTES; i < length; i++) {
            if (message.get(ValueLayout.JAVA_BYTE, i) != byteOf(number, i)) {
                throw new IllegalStateException("message " + number + ", byte " + i + " is wrong");
            }
        }
    }

    /** {@return a length that looks random, from the number alone and up to four packets} */
    private static int lengthOf(int number) {
        int mixed = (number * 0x9E3779B9) >>> 16;
        return HEADER_BYTES + mixed % (SLOT_BYTES - HEADER_BYTES + 1);
    }

    private static byte byteOf(int number, int index) {
        return (byte) (number * 31 + index);
    }

    @Override
    public void close() {
        context.close();
        arena.close();
    }
}
