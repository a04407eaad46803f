// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import io.verbena.verbs.AccessFlag;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.ConnectionSettings;
import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.Devices;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.PathMtu;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairAddress;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.ReceiveWorkRequest;
import io.verbena.verbs.SendOpcode;
import io.verbena.verbs.SendWorkRequest;
import io.verbena.verbs.WorkCompletion;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeoutException;

/**
 * The other end of a connection, in plain verbs: it sees every message as it is on the wire, and
 * may lie about anything.
 */
final class VerbsPeer implements AutoCloseable {
    static final int BLOCK = 8192;
    private static final long PATIENCE_NS = 20_000_000_000L;

    /** A message as it arrived. */
    record Message(int length, boolean hasImmediate, int immediate) {}

    final List<Message> messages = new ArrayList<>();
    private final List<String> failedSends = new ArrayList<>();

    private final DeviceContext context = Devices.open(DeviceUnderTest.RIGHT);
    private final ProtectionDomain domain = context.allocateProtectionDomain();
    private final CompletionQueue receives = context.createCompletionQueue(8192);
    private final CompletionQueue sends = context.createCompletionQueue(8192);
    private final Arena arena = Arena.ofShared();
    private final WorkCompletion completion = WorkCompletion.allocate(arena, 1);
    private final MemoryRegion memory = domain.allocate(2 * BLOCK, AccessFlag.LOCAL_WRITE);
    private final QueuePair pair;
    private final SendWorkRequest request = SendWorkRequest.allocate(arena, 1);
    private final ReceiveWorkRequest receive = ReceiveWorkRequest.allocate(arena, 1);
    private final int gidIndex = context.defaultGidIndex(1);
    private final int blockSize;
    private final int queueSize;
    private int completedSends;

    VerbsPeer(int blockSize, int queueSize) {
        this.blockSize = blockSize;
        this.queueSize = queueSize;
        this.pair =
                domain.createQueuePair(
                        QueuePairOptions.of(sends)
                                .withReceiveQueue(receives)
                                .withRequests(4096, 4096));
        receive.element(memory, BLOCK, BLOCK);
    }

    Hello hello() {
        return new Hello(
                blockSize,
                queueSize,
                queueSize,
                0,
                context.queryGids(1).get(gidIndex).gid(),
                pair.number(),
                Optional.empty());
    }

    /** Connects to an endpoint, which is connected to this, and posts receives. */
    VerbsPeer connect(RdmaEndpoint endpoint, int posted) {
        Hello peer = endpoint.hello();
        endpoint.bringUp(hello());
        pair.connect(
                new QueuePairAddress(peer.gid(), peer.lid(), peer.queuePairNumber(), 0),
                ConnectionSettings.of(AccessFlag.REMOTE_WRITE)
                        .withPath(1, gidIndex, PathMtu.MTU_1024, 0)
                        .withRetries(7, 0, 0));
        post(posted);
        return this;
    }

    void post(int count) {
        for (int i = 0; i < count; i++) {
            pair.postReceive(receive);
        }
    }

    void send(int length, int immediate) {
        send(SendOpcode.SEND_WITH_IMMEDIATE, length, immediate);
    }

    void send(SendOpcode opcode, int length, int immediate) {
        request.opcode(opcode)
                .flags(SendWorkRequest.SIGNALED | SendWorkRequest.SOLICITED)
                .immediate(immediate)
                .remote(0, 0)
                .element(memory, 0, length);
        pair.postSend(request);
        pollSends();
    }

    /** Takes completions of sends, which also frees their places. */
    private void pollSends() {
        while (sends.poll(completion) > 0) {
            completedSends++;
            if (completion.at(0).statusCode() != 0) {
                failedSends.add(completion.toString());
            }
        }
    }

    /** Waits until this many sends in total have arrived. */
    void awaitSent(int count) throws TimeoutException {
        long end = System.nanoTime() + PATIENCE_NS;
        while (completedSends < count) {
            pollSends();
            checkTime(end, count + " sends, has " + completedSends);
        }
        if (!failedSends.isEmpty()) {
            throw new IllegalStateException("sends failed, first: " + failedSends.getFirst());
        }
    }

    /** {@return the status code of the next send completion} */
    int awaitSendStatus() throws TimeoutException {
        long end = System.nanoTime() + PATIENCE_NS;
        while (sends.poll(completion) == 0) {
            checkTime(end, "a send completion");
        }
        return completion.at(0).statusCode();
    }

    /** Takes messages until there are this many in total. */
    void awaitMessages(int count) throws TimeoutException {
        long end = System.nanoTime() + PATIENCE_NS;
        while (messages.size() < count) {
            poll();
            checkTime(end, count + " messages, has " + messages);
        }
    }

    private void poll() {
        if (receives.poll(completion) == 0) {
            return;
        }
        completion.at(0);
        if (completion.statusCode() != 0) {
            throw new IllegalStateException(completion.toString());
        }
        messages.add(
                new Message(
                        completion.length(), completion.hasImmediate(), completion.immediate()));
    }

    /** Polls for a while; {@return how many messages there are in total} */
    int settle() {
        long end = System.nanoTime() + 50_000_000;
        while (System.nanoTime() - end < 0) {
            poll();
        }
        return messages.size();
    }

    QueuePairState state() {
        return pair.state();
    }

    private static void checkTime(long end, String what) throws TimeoutException {
        if (System.nanoTime() - end > 0) {
            throw new TimeoutException("still waiting for " + what);
        }
        Thread.onSpinWait();
    }

    @Override
    public void close() {
        context.close();
        arena.close();
    }
}
