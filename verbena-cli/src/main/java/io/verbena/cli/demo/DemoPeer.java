// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.demo;

import io.verbena.verbs.AccessFlag;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.ConnectionListener;
import io.verbena.verbs.ConnectionParameters;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.ReceiveWorkRequest;
import io.verbena.verbs.SendWorkRequest;
import io.verbena.verbs.WorkCompletion;
import io.verbena.verbs.WorkCompletionStatus;
import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.net.InetSocketAddress;
import java.time.Duration;

/**
 * The passive process of the demonstration: sends every message back, and offers memory for
 * one-sided operations, in which it takes no part.
 */
final class DemoPeer {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final int SLOTS = 2;
    private static final int SPINS_PER_YIELD = 1 << 10;

    private final DeviceContext context;
    private final PrintStream out;

    DemoPeer(DeviceContext context, PrintStream out) {
        this.context = context;
        this.out = out;
    }

    /** Serves one connection until it ends. */
    void run() throws InterruptedException {
        InetSocketAddress address = new InetSocketAddress(DemoAddress.of(context), 0);
        try (ConnectionListener listener = ConnectionListener.listen(context, address, 1)) {
            out.println(DemoAddress.ANNOUNCEMENT + listener.localAddress().getPort());
            ConnectionRequest request =
                    listener.awaitRequest(TIMEOUT)
                            .orElseThrow(
                                    () -> new IllegalStateException("no client connected in time"));
            try (request) {
                serve(request);
            }
        }
    }

    private void serve(ConnectionRequest request) throws InterruptedException {
        try (ProtectionDomain domain = context.allocateProtectionDomain();
                CompletionQueue queue = context.createCompletionQueue(4 * SLOTS);
                Arena arena = Arena.ofConfined()) {
            QueuePair pair =
                    request.createQueuePair(
                            domain, QueuePairOptions.of(queue).withRequests(SLOTS, SLOTS));
            Slot[] slots = new Slot[SLOTS];
            for (int i = 0; i < SLOTS; i++) {
                slots[i] = new Slot(pair, domain, arena, i);
                slots[i].receive();
            }
            PeerRegions regions = allocateRegions(domain);
            request.accept(
                    ConnectionParameters.DEFAULT.withPrivateData(regions.toBytes()), TIMEOUT);
            echo(queue, slots, WorkCompletion.allocate(arena, 2 * SLOTS));
            pair.close();
        }
    }

    private static PeerRegions allocateRegions(ProtectionDomain domain) {
        MemoryRegion target =
                domain.allocate(
                        Operation.LARGE,
                        AccessFlag.LOCAL_WRITE,
                        AccessFlag.REMOTE_WRITE,
                        AccessFlag.REMOTE_READ);
        MemoryRegion source = domain.allocate(Operation.LARGE, AccessFlag.REMOTE_READ);
        DemoBytes.fill(source.memory());
        MemoryRegion counter =
                domain.allocate(
                        Long.BYTES,
                        AccessFlag.LOCAL_WRITE,
                        AccessFlag.REMOTE_ATOMIC,
                        AccessFlag.REMOTE_READ);
        return PeerRegions.of(target, source, counter);
    }

    /** Polls without sleeping, for the lowest latency, until the connection ends. */
    private static void echo(CompletionQueue queue, Slot[] slots, WorkCompletion completion)
            throws InterruptedException {
        int spins = 0;
        while (!Thread.interrupted()) {
            int count = queue.poll(completion);
            if (count == 0) {
                spins = pause(spins);
            }
            for (int i = 0; i < count; i++) {
                completion.at(i);
                if (completion.status() != WorkCompletionStatus.SUCCESS) {
                    // The other side has disconnected or died; this one has nothing left to do.
                    return;
                }
                slots[(int) completion.id()].onCompletion(completion);
            }
        }
        throw new InterruptedException();
    }

    /** Yields the processor from time to time: on a busy machine the peer may need it. */
    private static int pause(int spins) {
        if (spins >= SPINS_PER_YIELD) {
            Thread.yield();
            return 0;
        }
        Thread.onSpinWait();
        return spins + 1;
    }

    /** A buffer that is received into and sent back from. */
    private static final class Slot {
        private final QueuePair pair;
        private final MemoryRegion buffer;
        private final ReceiveWorkRequest receive;
        private final SendWorkRequest send;

        Slot(QueuePair pair, ProtectionDomain domain, Arena arena, int index) {
            this.pair = pair;
            buffer = domain.allocate(Operation.LARGE, AccessFlag.LOCAL_WRITE);
            receive =
                    ReceiveWorkRequest.allocate(arena, 1)
                            .id(index)
                            .element(buffer, 0, Operation.LARGE);
            send = SendWorkRequest.allocate(arena, 1).id(index);
        }

        void receive() {
            pair.postReceive(receive);
        }

        void onCompletion(WorkCompletion completion) {
            if (completion.opcode().isReceive()) {
                pair.postSend(send.element(buffer, 0, completion.length()));
            } else {
                receive();
            }
        }
    }
}
