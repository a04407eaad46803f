// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

import io.verbena.verbs.AccessFlag;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.ConnectionIdentifier;
import io.verbena.verbs.ConnectionListener;
import io.verbena.verbs.ConnectionParameters;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.Connector;
import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.Devices;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.ReceiveWorkRequest;
import io.verbena.verbs.SendOpcode;
import io.verbena.verbs.SendWorkRequest;
import io.verbena.verbs.WorkCompletion;
import io.verbena.verbs.WorkCompletionStatus;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;

/**
 * A peer that uses plain verbs: the test chooses every byte it sends and sees every byte it
 * receives. Written from the protocol's definition, not with the classes under test.
 */
final class RawPeer implements AutoCloseable {
    /** Where a control message has the address of its message, and the key to read it. */
    static final int ADDRESS_AT = 16;

    static final int KEY_AT = 32;

    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final int RECEIVES = 50;
    private static final int READS = 9;
    private static final int SLOT = 8192;
    private static final int SEND_AT = 0;
    private static final int DATA_AT = 4096;
    private static final long SEND_ID = 1000;

    /** A received message: its bytes, and the immediate data if there was any. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Received(byte[] bytes, boolean hasImmediate, int immediate) {
        ByteBuffer fields() {
            return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        }
    }

    private final Arena arena = Arena.ofShared();
    private final DeviceContext context = Devices.open(Stacks.CLIENT_DEVICE);
    private final ProtectionDomain domain = context.allocateProtectionDomain();
    private final CompletionQueue queue = context.createCompletionQueue(512);
    private final MemoryRegion memory =
            domain.allocate(
                    (RECEIVES + 1L) * SLOT + (4 << 20),
                    AccessFlag.LOCAL_WRITE,
                    AccessFlag.REMOTE_READ);
    private final WorkCompletion completion = WorkCompletion.allocate(arena, 1);
    private final SendWorkRequest send = SendWorkRequest.allocate(arena, 1);
    private final ReceiveWorkRequest receive = ReceiveWorkRequest.allocate(arena, 1);
    private final Queue<Received> received = new ArrayDeque<>();
    private WorkCompletionStatus lastFailure = WorkCompletionStatus.SUCCESS;
    private int sendsDone;
    private int sendsPosted;
    private Runnable link = () -> {};
    private ConnectionIdentifier identifier;
    private QueuePair pair;

    /** {@return a peer that has connected} */
    static RawPeer connect(InetSocketAddress server, byte[] privateData) throws Exception {
        return connect(server, privateData, READS);
    }

    /** {@return a peer that has connected and answers this many reads at once} */
    static RawPeer connect(InetSocketAddress server, byte[] privateData, int reads)
            throws Exception {
        RawPeer peer = new RawPeer();
        try {
            Connector connector = Connector.resolve(peer.context, server, TIMEOUT);
            peer.open(connector::close, connector.identifier());
            peer.privateData = connector.connect(parameters(privateData, reads)).privateData();
            return peer;
        } catch (RuntimeException e) {
            peer.close();
            throw e;
        }
    }

    byte[] privateData = {};

    /** A peer that waits for a connection. */
    static final class Listening implements AutoCloseable {
        private final RawPeer peer = new RawPeer();
        private final ConnectionListener listener =
                ConnectionListener.listen(peer.context, Stacks.anyPort(), 1);

        InetSocketAddress address() {
            return listener.localAddress();
        }

        RawPeer accept(byte[] privateData) throws Exception {
            return accept(privateData, READS);
        }

        RawPeer accept(byte[] privateData, int reads) throws Exception {
            ConnectionRequest request = listener.awaitRequest(TIMEOUT).orElseThrow();
            peer.open(request::close, request.identifier());
            peer.privateData = request.offered().privateData();
            request.accept(parameters(privateData, reads), TIMEOUT);
            return peer;
        }

        @Override
        public void close() {
            listener.close();
        }
    }

    private static ConnectionParameters parameters(byte[] privateData, int reads) {
        return new ConnectionParameters(privateData, reads, READS, 7, 7);
    }

    private void open(Runnable owner, ConnectionIdentifier used) {
        link = owner;
        identifier = used;
        pair = used.createQueuePair(domain, QueuePairOptions.of(queue).withRequests(128, RECEIVES));
        for (int slot = 0; slot < RECEIVES; slot++) {
            post(slot);
        }
    }

    private void post(int slot) {
        receive.id(slot).element(memory, (slot + 1L) * SLOT, SLOT);
        pair.postReceive(receive);
    }

    /** A control message, field by field. */
    static byte[] metaData(
            int type, int flag, long length, long messageAddress, long regionAddress, int rkey) {
        return ByteBuffer.allocate(40)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(type)
                .putInt(flag)
                .putLong(length)
                .putLong(messageAddress)
                .putLong(regionAddress)
                .putInt(rkey)
                .array();
    }

    void send(byte[] bytes) {
        send(bytes, false, 0);
    }

    void sendWithImmediate(byte[] bytes, int immediate) {
        send(bytes, true, immediate);
    }

    private void send(byte[] bytes, boolean hasImmediate, int immediate) {
        MemorySegment.copy(bytes, 0, memory.memory(), ValueLayout.JAVA_BYTE, SEND_AT, bytes.length);
        send.opcode(hasImmediate ? SendOpcode.SEND_WITH_IMMEDIATE : SendOpcode.SEND)
                .immediate(immediate)
                .id(SEND_ID)
                .elementCount(1)
                .element(0)
                .set(memory, SEND_AT, bytes.length);
        postAndWait();
    }

    /** Announces a message, as the older protocol does; {@return its address} */
    long announce(String text, int flag) {
        byte[] bytes = text.getBytes(java.nio.charset.StandardCharsets.UTF_8);
        long at = DATA_AT + 8L * 1024 * (announced++ % 400) + (RECEIVES + 1L) * SLOT;
        MemorySegment.copy(bytes, 0, memory.memory(), ValueLayout.JAVA_BYTE, at, bytes.length);
        long address = bytes.length == 0 ? 0 : memory.address() + at;
        send(metaData(15, flag, bytes.length, address, address == 0 ? 0 : 77, memory.rkey()));
        return address;
    }

    private int announced;

    void sendNodeId(int id) {
        long at = (RECEIVES + 1L) * SLOT;
        memory.memory().set(ValueLayout.JAVA_INT, at, id);
        send(metaData(15, 0, 4, memory.address() + at, 1, memory.rkey()));
    }

    int rkey() {
        return memory.rkey();
    }

    /** {@return bytes read from the other side's memory} */
    byte[] read(long address, int rkey, int length) {
        send.opcode(SendOpcode.RDMA_READ)
                .id(SEND_ID)
                .remote(address, rkey)
                .elementCount(1)
                .element(0)
                .set(memory, (RECEIVES + 1L) * SLOT, length);
        postAndWait();
        return memory.memory()
                .asSlice((RECEIVES + 1L) * SLOT, length)
                .toArray(ValueLayout.JAVA_BYTE);
    }

    private void postAndWait() {
        sendsPosted++;
        pair.postSend(send);
        await(() -> sendsDone == sendsPosted, "a send");
    }

    WorkCompletionStatus lastFailure() {
        return lastFailure;
    }

    /** {@return the next message received} */
    Received next() {
        await(() -> !received.isEmpty(), "a message");
        return received.remove();
    }

    /** Waits until the connection ends. */
    void awaitEnd() {
        await(() -> lastFailure != WorkCompletionStatus.SUCCESS, "the end");
    }

    boolean hasNext() {
        progress();
        return !received.isEmpty();
    }

    private void await(java.util.function.BooleanSupplier condition, String what) {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            progress();
            if (System.nanoTime() - start > TimeUnit.SECONDS.toNanos(20)) {
                throw new AssertionError(
                        what + " did not come in time; last failure " + lastFailure);
            }
            Thread.onSpinWait();
        }
    }

    private void progress() {
        if (queue.poll(completion) == 0) {
            return;
        }
        completion.at(0);
        boolean isSend = completion.id() == SEND_ID;
        if (isSend) {
            sendsDone++;
        }
        if (completion.status() != WorkCompletionStatus.SUCCESS) {
            lastFailure = completion.status();
        } else if (!isSend) {
            int slot = (int) completion.id();
            byte[] bytes =
                    memory.memory()
                            .asSlice((slot + 1L) * SLOT, completion.length())
                            .toArray(ValueLayout.JAVA_BYTE);
            received.add(new Received(bytes, completion.hasImmediate(), completion.immediate()));
            post(slot);
        }
    }

    void disconnect() {
        identifier.disconnect();
    }

    @Override
    public void close() {
        link.run();
        context.close();
        arena.close();
    }
}
