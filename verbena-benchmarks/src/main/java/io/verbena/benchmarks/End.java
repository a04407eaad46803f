// SPDX-License-Identifier: Apache-2.0

package io.verbena.benchmarks;

import io.verbena.verbs.AccessFlag;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.ConnectionSettings;
import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.Gid;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.PathMtu;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairAddress;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.WorkCompletion;
import java.lang.foreign.Arena;

/** One side of a connection: device, memory, completion queue, and a way to make queue pairs. */
final class End implements AutoCloseable {
    private static final int DEPTH = 64;
    private static final int PORT = 1;

    private final DeviceContext context;
    private final ProtectionDomain domain;
    private final Arena arena = Arena.ofShared();
    final MemoryRegion region;
    final CompletionQueue queue;
    final WorkCompletion completion;

    End(DeviceContext context) {
        this.context = context;
        this.domain = context.allocateProtectionDomain();
        this.queue = context.createCompletionQueue(4 * DEPTH);
        this.completion = WorkCompletion.allocate(arena, 16);
        this.region = domain.allocate(4096, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE);
    }

    Arena arena() {
        return arena;
    }

    QueuePair createPair() {
        int inline = Math.min(64, context.queryDevice().maxInlineBytes());
        return domain.createQueuePair(
                QueuePairOptions.of(queue).withRequests(DEPTH, DEPTH).withInline(inline));
    }

    static void connect(End near, QueuePair nearPair, End far, QueuePair farPair) {
        nearPair.connect(far.address(farPair), near.settings());
        farPair.connect(near.address(nearPair), far.settings());
    }

    private ConnectionSettings settings() {
        return ConnectionSettings.of(AccessFlag.REMOTE_WRITE)
                .withPath(PORT, context.defaultGidIndex(PORT), PathMtu.MTU_1024, 0);
    }

    private QueuePairAddress address(QueuePair pair) {
        return new QueuePairAddress(gid(), context.queryPort(PORT).lid(), pair.number(), 0);
    }

    private Gid gid() {
        int index = context.defaultGidIndex(PORT);
        return context.queryGids(PORT).stream()
                .filter(entry -> entry.index() == index)
                .findFirst()
                .orElseThrow()
                .gid();
    }

    /** {@return how many completions there were; fails if the first is not a success} */
    int poll() {
        int count = queue.poll(completion);
        if (count > 0 && completion.at(0).statusCode() != 0) {
            throw new IllegalStateException(completion.toString());
        }
        return count;
    }

    @Override
    public void close() {
        context.close();
        arena.close();
    }
}
