// SPDX-License-Identifier: Apache-2.0

package io.verbena.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.tools.TimedCompletions;
import io.verbena.verbs.AccessFlag;
import io.verbena.verbs.ConnectionIdentifier;
import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.ReceiveWorkRequest;
import io.verbena.verbs.SendOpcode;
import io.verbena.verbs.SendWorkRequest;
import io.verbena.verbs.WorkCompletion;
import io.verbena.verbs.WorkCompletionOpcode;
import io.verbena.verbs.WorkCompletionStatus;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.time.Duration;

/**
 * The other end of an {@code rping}, in this process, which does what the test says, wrong or
 * right.
 */
final class RpingPeer implements AutoCloseable {
    static final int DATA_SIZE = 256;

    private static final Duration LIMIT = Duration.ofSeconds(20);
    private static final ValueLayout.OfInt INT =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong LONG =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private final Arena arena = Arena.ofConfined();
    private final ProtectionDomain domain;
    private final TimedCompletions completions;
    private final QueuePair pair;
    private final MemoryRegion message;
    private final MemoryRegion received;
    private final MemoryRegion data;
    private final SendWorkRequest send = SendWorkRequest.allocate(arena, 1);
    private final ReceiveWorkRequest receive = ReceiveWorkRequest.allocate(arena, 1);

    /** Makes the queue pair and posts a receive. */
    RpingPeer(ConnectionIdentifier identifier) {
        DeviceContext context = identifier.context();
        domain = context.allocateProtectionDomain();
        completions = new TimedCompletions(context, arena, 32, true);
        pair = identifier.createQueuePair(domain, QueuePairOptions.of(completions.queue()));
        message = domain.allocate(DATA_SIZE);
        received = domain.allocate(DATA_SIZE, AccessFlag.LOCAL_WRITE);
        data =
                domain.allocate(
                        DATA_SIZE,
                        AccessFlag.LOCAL_WRITE,
                        AccessFlag.REMOTE_READ,
                        AccessFlag.REMOTE_WRITE);
        pair.postReceive(receive.element(received, 0, DATA_SIZE));
    }

    MemoryRegion data() {
        return data;
    }

    /** Sends a location as rping lays it out. */
    void sendLocation(long address, int rkey, int length) throws InterruptedException {
        message.memory().set(LONG, 0, address);
        message.memory().set(INT, 8, rkey);
        message.memory().set(INT, 12, length);
        sendBytes(16);
    }

    /** Sends the first bytes of what was sent last, or of nothing. */
    void sendBytes(int count) throws InterruptedException {
        pair.postSend(send.opcode(SendOpcode.SEND).element(message, 0, count));
        await(WorkCompletionOpcode.SEND);
    }

    /** Waits for a message; the memory it names can then be written to. */
    void receive() throws InterruptedException {
        await(WorkCompletionOpcode.RECEIVE);
        pair.postReceive(receive);
    }

    /** Writes bytes of the data to the location in the last message received. */
    void writeBack(int count) throws InterruptedException {
        send.opcode(SendOpcode.RDMA_WRITE)
                .element(data, 0, count)
                .remote(received.memory().get(LONG, 0), received.memory().get(INT, 8));
        pair.postSend(send);
        await(WorkCompletionOpcode.RDMA_WRITE);
    }

    private void await(WorkCompletionOpcode wanted) throws InterruptedException {
        do {
            assertThat(completions.await(LIMIT)).as("a completion of %s", wanted).isTrue();
            assertThat(completions.current().status())
                    .as("%s", completions.current())
                    .isEqualTo(WorkCompletionStatus.SUCCESS);
        } while (!isWanted(completions.current(), wanted));
    }

    private static boolean isWanted(WorkCompletion completion, WorkCompletionOpcode wanted) {
        return completion.opcode() == wanted;
    }

    @Override
    public void close() {
        domain.close();
        completions.close();
        arena.close();
    }
}
