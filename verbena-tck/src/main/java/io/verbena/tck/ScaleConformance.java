// SPDX-License-Identifier: Apache-2.0
package io.verbena.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.DeviceAttributes;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.WorkCompletionOpcode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;

/** Many queue pairs and completion queues at once. */
public abstract class ScaleConformance extends ConformanceTest {
    private static final int MANY = 1000;

    @Test
    void shouldServeAThousandConnectedQueuePairsOnOneQueue(TestReporter reporter) {
        ConnectedPair base = closing(pair().both(e -> e.settings(s -> s.withTimeout(18))).build());
        assumeRoom(base);
        long before = ProcessUse.residentBytes();
        QueuePairFleet left = new QueuePairFleet(base.initiator(), MANY);
        QueuePairFleet right = new QueuePairFleet(base.target(), MANY);
        left.connect(right);
        right.connect(left);
        // Not asserted: the heap and other tests share the process.
        reporter.publishEntry(
                "resident bytes per idle connected queue pair",
                String.valueOf((ProcessUse.residentBytes() - before) / (2 * MANY)));

        for (int round = 0; round < 5; round++) {
            exchange(left, right);
            exchange(right, left);
        }

        left.close();
        right.close();
    }

    private static void exchange(QueuePairFleet from, QueuePairFleet to) {
        to.postReceives();
        from.postSends();
        to.takeOneOfEach(true);
        from.takeOneOfEach(false);
    }

    @Test
    void shouldCreateAndCloseAThousandQueuePairs() {
        Endpoint endpoint = closing(pair().build()).initiator();
        createAndClose(endpoint);
        ProcessUse before = ProcessUse.now();

        for (int round = 0; round < 5; round++) {
            createAndClose(endpoint);
        }

        ProcessUse.assertReturnsTo(before, fixture().patience());
    }

    private static void createAndClose(Endpoint endpoint) {
        QueuePairOptions options = QueuePairOptions.of(endpoint.receiveQueue()).withRequests(4, 4);
        List<QueuePair> pairs = new ArrayList<>();
        Set<Integer> numbers = new HashSet<>();
        for (int i = 0; i < MANY; i++) {
            QueuePair pair = endpoint.domain().createQueuePair(options);
            pairs.add(pair);
            numbers.add(pair.number());
        }
        assertThat(numbers).hasSize(MANY);
        assertThat(numbers).allMatch(number -> number > 0 && number < 1 << 24);
        pairs.forEach(QueuePair::close);
    }

    @Test
    void shouldDeliverToSixtyFourCompletionQueues() {
        int count = 64;
        ConnectedPair base = closing(pair().build());
        List<Endpoint> senders = new ArrayList<>();
        List<Endpoint> receivers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            senders.add(sibling(base.initiator()));
            receivers.add(sibling(base.target()));
            senders.get(i).connect(receivers.get(i).address(), base.initiator().activeMtu());
            receivers.get(i).connect(senders.get(i).address(), base.initiator().activeMtu());
        }

        for (int i = 0; i < count; i++) {
            receivers.get(i).postReceive(1000 + i, 0, 8);
            senders.get(i).postSend(i, 0, 8);
        }

        for (int i = count - 1; i >= 0; i--) {
            receivers
                    .get(i)
                    .awaitReceive()
                    .assertSuccess(WorkCompletionOpcode.RECEIVE)
                    .assertId(1000 + i);
            senders.get(i).awaitSend().assertSuccess(WorkCompletionOpcode.SEND).assertId(i);
            receivers.get(i).assertNoCompletion();
            senders.get(i).assertNoCompletion();
        }
    }

    @Test
    void shouldCreateAndCloseManyCompletionQueues() {
        Endpoint endpoint = closing(pair().build()).initiator();
        ProcessUse before = ProcessUse.now();

        for (int round = 0; round < 10; round++) {
            List<CompletionQueue> queues = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                queues.add(endpoint.context().createCompletionQueue(64));
            }
            queues.forEach(CompletionQueue::close);
        }

        ProcessUse.assertReturnsTo(before, fixture().patience());
    }

    private Endpoint sibling(Endpoint owner) {
        return closing(
                new EndpointBuilder(fixture(), "one of many", 0, owner::context)
                        .domain(owner.domain())
                        .build());
    }

    private static void assumeRoom(ConnectedPair base) {
        DeviceAttributes device = base.initiator().context().queryDevice();
        Assumptions.assumeTrue(
                device.maxQueuePairs() >= 2 * MANY && device.maxCompletions() >= 4 * MANY,
                "the device has no room for so many");
    }
}
