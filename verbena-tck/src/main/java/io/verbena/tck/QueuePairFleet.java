// SPDX-License-Identifier: Apache-2.0
package io.verbena.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.verbs.AccessFlag;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairAddress;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.ReceiveWorkRequest;
import io.verbena.verbs.SendOpcode;
import io.verbena.verbs.SendWorkRequest;
import io.verbena.verbs.WorkCompletion;
import io.verbena.verbs.WorkCompletionStatus;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Many queue pairs of one side that share a completion queue and a memory region. */
final class QueuePairFleet {
    private static final int SLOT = 64;
    private static final int BATCH = 64;

    private final Endpoint owner;
    private final CompletionQueue queue;
    private final MemoryRegion region;
    private final WorkCompletion cursor;
    private final List<QueuePair> pairs = new ArrayList<>();
    private final Map<Integer, Integer> indices = new HashMap<>();

    QueuePairFleet(Endpoint owner, int size) {
        this.owner = owner;
        queue = owner.context().createCompletionQueue(4 * size);
        region = owner.domain().allocate((long) size * SLOT, AccessFlag.values());
        cursor = WorkCompletion.allocate(owner.arena(), BATCH);
        for (int i = 0; i < size; i++) {
            QueuePair pair =
                    owner.domain().createQueuePair(QueuePairOptions.of(queue).withRequests(2, 2));
            pairs.add(pair);
            indices.put(pair.number(), i);
        }
        assertThat(indices).as("distinct queue pair numbers").hasSize(size);
    }

    void connect(QueuePairFleet peers) {
        for (int i = 0; i < pairs.size(); i++) {
            QueuePairAddress base = peers.owner.address();
            QueuePairAddress address =
                    new QueuePairAddress(
                            base.gid(),
                            base.lid(),
                            peers.pairs.get(i).number(),
                            base.packetSequenceNumber());
            pairs.get(i).connect(address, owner.settings());
        }
    }

    /** Posts a receive on every queue pair. */
    void postReceives() {
        ReceiveWorkRequest request = ReceiveWorkRequest.allocate(owner.arena(), 1);
        for (int i = 0; i < pairs.size(); i++) {
            request.id(i).element(region, (long) i * SLOT, SLOT);
            assertThat(pairs.get(i).postReceive(request)).isEqualTo(1);
        }
    }

    /** Sends the index of each queue pair to its peer. */
    void postSends() {
        SendWorkRequest request =
                SendWorkRequest.allocate(owner.arena(), 1).opcode(SendOpcode.SEND_WITH_IMMEDIATE);
        for (int i = 0; i < pairs.size(); i++) {
            request.id(i).immediate(i).element(region, (long) i * SLOT, SLOT);
            assertThat(pairs.get(i).postSend(request)).isEqualTo(1);
        }
    }

    /** Takes one completion of every queue pair. */
    void takeOneOfEach(boolean receives) {
        boolean[] seen = new boolean[pairs.size()];
        int[] left = {pairs.size()};
        owner.patience()
                .await(
                        "completion of every queue pair",
                        () -> {
                            left[0] -= take(seen, receives);
                            return left[0] == 0;
                        },
                        () -> left[0] + " left");
    }

    private int take(boolean[] seen, boolean receives) {
        int count = queue.poll(cursor);
        for (int i = 0; i < count; i++) {
            Completion completion = Completion.of(cursor.at(i));
            completion.assertStatus(WorkCompletionStatus.SUCCESS);
            int index = indices.get(completion.queuePairNumber());
            completion.assertId(index);
            assertThat(completion.opcode().isReceive()).as("%s", completion).isEqualTo(receives);
            if (receives) {
                completion.assertImmediate(index);
            }
            assertThat(seen[index]).as("second completion %s", completion).isFalse();
            seen[index] = true;
        }
        return count;
    }

    void close() {
        pairs.forEach(QueuePair::close);
        queue.close();
        region.close();
    }
}
