// SPDX-License-Identifier: Apache-2.0
package io.verbena.completion;

import io.verbena.verbs.AccessFlag;
import io.verbena.verbs.CompletionChannel;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.ConnectionSettings;
import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.Devices;
import io.verbena.verbs.Gid;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairAddress;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.SendOpcode;
import io.verbena.verbs.SendWorkRequest;
import io.verbena.verbs.WorkCompletion;
import java.lang.foreign.Arena;
import java.util.function.LongConsumer;

/**
 * A queue pair of the software device that is connected to itself. Used by one thread at a time.
 */
final class Loopback implements AutoCloseable {
    /** Writes that may be under way at a time. */
    static final int REQUESTS = 512;

    private static final AccessFlag[] ACCESS = {AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE};

    private final DeviceContext context = Devices.open("soft0");
    private final CompletionChannel channel = context.createCompletionChannel();
    private final CompletionQueue queue = context.createCompletionQueue(2 * REQUESTS, channel, 0);
    private final ProtectionDomain domain = context.allocateProtectionDomain();
    private final Arena arena = Arena.ofShared();
    private final MemoryRegion region = domain.register(arena.allocate(64, 64), ACCESS);
    private final QueuePair pair =
            domain.createQueuePair(QueuePairOptions.of(queue).withRequests(REQUESTS, 1));
    private final WorkCompletion cursor = WorkCompletion.allocate(arena, 32);
    private final SendWorkRequest request = SendWorkRequest.allocate(arena, 1);

    Loopback() {
        pair.modify(
                QueuePairAttributes.to(QueuePairState.INIT).pkeyIndex(0).port(1).access(ACCESS));
        Gid gid = context.queryGids(1).getFirst().gid();
        pair.connect(new QueuePairAddress(gid, 0, pair.number(), 0), ConnectionSettings.of(ACCESS));
    }

    CompletionChannel channel() {
        return channel;
    }

    /** {@return whether there was room} Its completion has this id. */
    boolean tryWrite(long id) {
        request.opcode(SendOpcode.RDMA_WRITE)
                .id(id)
                .flags(SendWorkRequest.SIGNALED)
                .remote(region.address() + Long.BYTES, region.rkey())
                .elementCount(0)
                .element(region, 0, Long.BYTES);
        return pair.postSend(request) == 1;
    }

    /** {@return how many writes have completed since the last call} */
    int poll(LongConsumer ids) {
        int count = queue.poll(cursor);
        for (int i = 0; i < count; i++) {
            ids.accept(cursor.at(i).id());
        }
        return count;
    }

    void arm() {
        queue.requestNotification(CompletionQueue.Notification.ANY);
    }

    void acknowledge() {
        queue.acknowledgeEvents(1);
    }

    @Override
    public void close() {
        pair.close();
        region.close();
        queue.close();
        channel.close();
        domain.close();
        context.close();
        arena.close();
    }
}
