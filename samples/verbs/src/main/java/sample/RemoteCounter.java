// SPDX-License-Identifier: Apache-2.0
package sample;

import io.verbena.verbs.AccessFlag;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.ConnectionSettings;
import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.Devices;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairAddress;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.SendWorkRequest;
import io.verbena.verbs.WorkCompletion;
import io.verbena.verbs.WorkCompletionStatus;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;

/** A counter in the memory of a peer, which counts without the peer's program. */
final class RemoteCounter {
    private RemoteCounter() {}

    public static void main(String[] args) {
        System.out.println("counted to " + countTo(100));
    }

    /** Adds 1 with an atomic operation, again and again, and returns what the peer's memory holds. */
    static long countTo(int limit) {
        try (Arena arena = Arena.ofConfined();
                DeviceContext context = Devices.open()) {
            ProtectionDomain domain = context.allocateProtectionDomain();
            CompletionQueue queue = context.createCompletionQueue(16);
            QueuePair mine = domain.createQueuePair(QueuePairOptions.of(queue));
            QueuePair peers = domain.createQueuePair(QueuePairOptions.of(queue));
            ConnectionSettings settings = ConnectionSettings.of(AccessFlag.REMOTE_ATOMIC);
            mine.connect(address(context, peers), settings);
            peers.connect(address(context, mine), settings);

            MemoryRegion old = domain.allocate(Long.BYTES, AccessFlag.LOCAL_WRITE);
            MemoryRegion counter =
                    domain.allocate(
                            Long.BYTES, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_ATOMIC);
            SendWorkRequest add =
                    SendWorkRequest.allocate(arena, 1)
                            .element(old, 0, Long.BYTES)
                            .fetchAndAdd(counter.address(), counter.rkey(), 1);
            WorkCompletion completion = WorkCompletion.allocate(arena, 1);
            for (int i = 0; i < limit; i++) {
                mine.postSend(add);
                while (queue.poll(completion) == 0) {
                    Thread.onSpinWait();
                }
                if (completion.status() != WorkCompletionStatus.SUCCESS) {
                    throw new IllegalStateException(completion.toString());
                }
            }
            return counter.memory().get(ValueLayout.JAVA_LONG, 0);
        }
    }

    private static QueuePairAddress address(DeviceContext context, QueuePair pair) {
        return new QueuePairAddress(
                context.queryGids(1).getFirst().gid(),
                context.queryPort(1).lid(),
                pair.number(),
                0);
    }
}
