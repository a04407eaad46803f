// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.demo;

import io.verbena.verbs.AccessFlag;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.ConnectionParameters;
import io.verbena.verbs.Connector;
import io.verbena.verbs.DeviceContext;
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
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;

/** The active process's connection, and the operations it performs on it. One thread. */
final class DemoSession implements AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final int DEPTH = 4;
    private static final int SPINS_PER_YIELD = 1 << 10;

    private final Connector connector;
    private final ProtectionDomain domain;
    private final CompletionQueue queue;
    private final Arena arena = Arena.ofConfined();
    private final QueuePair pair;
    private final MemoryRegion outgoing;
    private final MemoryRegion incoming;
    private final MemoryRegion pattern;
    private final SendWorkRequest send = SendWorkRequest.allocate(arena, 1);
    private final ReceiveWorkRequest receive = ReceiveWorkRequest.allocate(arena, 1);
    private final WorkCompletion completion = WorkCompletion.allocate(arena, DEPTH);
    private final PeerRegions peer;
    private long stamp;
    private long counted;

    private DemoSession(Connector connector, DeviceContext context) throws InterruptedException {
        this.connector = connector;
        domain = context.allocateProtectionDomain();
        queue = context.createCompletionQueue(2 * DEPTH);
        pair =
                connector.createQueuePair(
                        domain, QueuePairOptions.of(queue).withRequests(DEPTH, DEPTH));
        outgoing = domain.allocate(Operation.LARGE, AccessFlag.LOCAL_WRITE);
        incoming = domain.allocate(Operation.LARGE, AccessFlag.LOCAL_WRITE);
        pattern = domain.allocate(Operation.LARGE, AccessFlag.LOCAL_WRITE);
        DemoBytes.fill(outgoing.memory());
        DemoBytes.fill(pattern.memory());
        peer = PeerRegions.parse(connector.connect(ConnectionParameters.DEFAULT).privateData());
    }

    /**
     * {@return a session with a peer}
     *
     * @param context the device
     * @param address where the peer listens
     */
    static DemoSession connect(DeviceContext context, InetSocketAddress address)
            throws InterruptedException {
        Connector connector = Connector.resolve(context, address, TIMEOUT);
        try {
            return new DemoSession(connector, context);
        } catch (RuntimeException | InterruptedException e) {
            connector.close();
            throw e;
        }
    }

    /** {@return the rows of the demonstration} */
    List<Operation> operations() {
        return List.of(
                new Operation(
                        "SEND and echo", Operation.SMALL, 2 * Operation.SMALL, this::sendAndEcho),
                new Operation("WRITE", Operation.SMALL, Operation.SMALL, this::write),
                new Operation("READ", Operation.SMALL, Operation.SMALL, this::read),
                new Operation("FETCH_AND_ADD", Long.BYTES, Long.BYTES, this::fetchAndAdd),
                new Operation(
                        "SEND and echo", Operation.LARGE, 2 * Operation.LARGE, this::sendAndEcho),
                new Operation("WRITE", Operation.LARGE, Operation.LARGE, this::write),
                new Operation("READ", Operation.LARGE, Operation.LARGE, this::read));
    }

    private long sendAndEcho(int size) {
        DemoBytes.stamp(outgoing.memory(), size, ++stamp);
        pair.postReceive(receive.element(incoming, 0, size));
        send.opcode(SendOpcode.SEND).element(outgoing, 0, size);
        long began = System.nanoTime();
        pair.postSend(send);
        // One for the message, one for its echo.
        await("SEND", 2);
        long elapsed = System.nanoTime() - began;
        DemoBytes.check("SEND", outgoing.memory(), incoming.memory(), size);
        return elapsed;
    }

    private long write(int size) {
        DemoBytes.stamp(outgoing.memory(), size, ++stamp);
        send.opcode(SendOpcode.RDMA_WRITE)
                .remote(peer.targetAddress(), peer.targetRkey())
                .element(outgoing, 0, size);
        long elapsed = post("WRITE");
        readInto(size, peer.targetAddress(), peer.targetRkey());
        DemoBytes.check("WRITE", outgoing.memory(), incoming.memory(), size);
        return elapsed;
    }

    private long read(int size) {
        DemoBytes.stamp(incoming.memory(), size, ++stamp);
        long elapsed = readInto(size, peer.sourceAddress(), peer.sourceRkey());
        DemoBytes.check("READ", pattern.memory(), incoming.memory(), size);
        return elapsed;
    }

    private long readInto(int size, long address, int rkey) {
        send.opcode(SendOpcode.RDMA_READ).remote(address, rkey).element(incoming, 0, size);
        return post("READ");
    }

    /** Nothing else changes the counter: the old value must be the number of previous additions. */
    private long fetchAndAdd(int size) {
        send.element(incoming, 0, size).fetchAndAdd(peer.counterAddress(), peer.counterRkey(), 1);
        long elapsed = post("FETCH_AND_ADD");
        long old = incoming.memory().get(ValueLayout.JAVA_LONG, 0);
        if (old != counted) {
            throw new IllegalStateException(
                    "FETCH_AND_ADD: the counter was " + old + " (expected: " + counted + ")");
        }
        counted++;
        return elapsed;
    }

    private long post(String what) {
        long began = System.nanoTime();
        pair.postSend(send);
        await(what, 1);
        return System.nanoTime() - began;
    }

    private void await(String what, int count) {
        int done = 0;
        int spins = 0;
        long deadline = 0;
        while (done < count) {
            int polled = queue.poll(completion);
            for (int i = 0; i < polled; i++) {
                check(what, completion.at(i));
            }
            done += polled;
            if (polled == 0 && ++spins % SPINS_PER_YIELD == 0) {
                // The peer may be waiting for this very processor.
                Thread.yield();
                deadline = deadline == 0 ? System.nanoTime() + TIMEOUT.toNanos() : deadline;
                checkTime(what, deadline);
            }
            Thread.onSpinWait();
        }
    }

    private static void check(String what, WorkCompletion completion) {
        if (completion.status() != WorkCompletionStatus.SUCCESS) {
            throw new IllegalStateException(
                    what
                            + " failed: status "
                            + completion.statusCode()
                            + " ("
                            + completion.status()
                            + ")");
        }
    }

    private static void checkTime(String what, long deadline) {
        if (System.nanoTime() - deadline > 0) {
            throw new IllegalStateException(
                    what + ": no completion within " + TIMEOUT.toSeconds() + " s");
        }
    }

    @Override
    public void close() {
        connector.close();
        queue.close();
        domain.close();
        arena.close();
    }
}
