// SPDX-License-Identifier: Apache-2.0
package io.verbena.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.SendOpcode;
import io.verbena.verbs.WorkCompletionOpcode;
import io.verbena.verbs.WorkCompletionStatus;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Several queue pairs that share a completion queue, a domain or a region. */
public abstract class SharedQueueConformance extends ConformanceTest {
    private static final int PAIRS = 4;
    private static final int ROUNDS = 200;

    @Test
    void shouldTellQueuePairsOfOneCompletionQueueApart() {
        List<ConnectedPair> pairs = fan();
        Map<Integer, Integer> next = new HashMap<>();

        for (int round = 0; round < repetitions(ROUNDS); round++) {
            for (int i = 0; i < PAIRS; i++) {
                pairs.get(i).target().postReceive(round, 0, 64);
                pairs.get(i).initiator().postSend(1000L * i + round, 0, 64);
            }
            for (int i = 0; i < PAIRS; i++) {
                Completion completion = pairs.getFirst().initiator().awaitSend();
                completion.assertSuccess(WorkCompletionOpcode.SEND);
                assertThat(completion.queuePairNumber())
                        .isEqualTo(
                                pairs.get((int) (completion.id() / 1000))
                                        .initiator()
                                        .queuePair()
                                        .number());
                assertThat(next.merge(completion.queuePairNumber(), 1, Integer::sum))
                        .isEqualTo((int) (completion.id() % 1000) + 1);
            }
            for (int i = 0; i < PAIRS; i++) {
                pairs.getFirst().target().awaitReceive().assertId(round);
            }
        }
    }

    @Test
    void shouldKeepOthersWorkingWhenOneFails() {
        List<ConnectedPair> pairs = fan();
        Endpoint first = pairs.getFirst().initiator();
        Endpoint failing = pairs.get(1).initiator();

        failing.post(
                failing.request(SendOpcode.RDMA_WRITE, 1, 0, 8)
                        .remote(
                                failing.peer().region().address(),
                                ~failing.peer().region().rkey()));
        first.awaitSend().assertId(1).assertStatus(WorkCompletionStatus.REMOTE_ACCESS);
        for (int i = 0; i < PAIRS; i++) {
            if (i != 1) {
                Endpoint working = pairs.get(i).initiator();
                working.post(working.remote(SendOpcode.RDMA_WRITE, 10 + i, 0, 64, 0));
                first.awaitSend().assertId(10 + i).assertSuccess(WorkCompletionOpcode.RDMA_WRITE);
            }
        }

        assertThat(failing.queuePair().state()).isEqualTo(QueuePairState.ERROR);
    }

    @Test
    void shouldNotStallOthersBehindReceiverThatIsNotReady() {
        List<ConnectedPair> pairs = fan();
        Endpoint first = pairs.getFirst().initiator();
        pairs.get(1).initiator().postSend(1, 0, 64);

        for (int round = 0; round < repetitions(ROUNDS); round++) {
            pairs.get(2).target().postReceive(round, 0, 64);
            pairs.get(2).initiator().postSend(100 + round, 0, 64);
            first.awaitSend().assertId(100 + round).assertSuccess(WorkCompletionOpcode.SEND);
            pairs.getFirst().target().awaitReceive().assertId(round);
        }

        pairs.get(1).target().postReceive(2, 0, 64);
        first.awaitSend().assertId(1).assertSuccess(WorkCompletionOpcode.SEND);
    }

    @Test
    void shouldReachOneRegionFromManyQueuePairs() {
        List<ConnectedPair> pairs = fan();
        Endpoint owner = pairs.getFirst().target();
        Endpoint first = pairs.getFirst().initiator();

        for (int i = 0; i < PAIRS; i++) {
            Endpoint writer = pairs.get(i).initiator();
            writer.fill(0, 512, i);
            writer.post(
                    writer.request(SendOpcode.RDMA_WRITE, i, 0, 512)
                            .remote(owner.region().address() + i * 512L, owner.region().rkey()));
            first.awaitSend().assertId(i).assertSuccess(WorkCompletionOpcode.RDMA_WRITE);
        }

        for (int i = 0; i < PAIRS; i++) {
            owner.verify(i * 512L, 512, i);
        }
    }

    /** All initiators complete on one queue, all targets on another. */
    private List<ConnectedPair> fan() {
        List<ConnectedPair> pairs = new ArrayList<>();
        pairs.add(closing(pair().both(EndpointBuilder::oneQueue).connect()));
        Endpoint initiator = pairs.getFirst().initiator();
        Endpoint target = pairs.getFirst().target();
        for (int i = 1; i < PAIRS; i++) {
            CompletionQueue sends = initiator.sendQueue();
            CompletionQueue receives = target.sendQueue();
            pairs.add(
                    closing(
                            pair().initiator(
                                            side ->
                                                    side.domain(initiator.domain())
                                                            .completionQueue(sends))
                                    .target(
                                            side ->
                                                    side.domain(target.domain())
                                                            .completionQueue(receives))
                                    .connect()));
        }
        return pairs;
    }
}
