// SPDX-License-Identifier: Apache-2.0

package io.verbena.examples;

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
import io.verbena.verbs.ReceiveWorkRequest;
import io.verbena.verbs.SendOpcode;
import io.verbena.verbs.SendWorkRequest;
import io.verbena.verbs.WorkCompletion;
import io.verbena.verbs.WorkCompletionStatus;
import java.io.PrintStream;
import java.lang.foreign.Arena;

/** Two queue pairs in one process: one sends a message, then writes to the other's memory. */
public final class FirstProgram {
    private static final int SIZE = 64;

    private FirstProgram() {}

    /**
     * Runs on the device that {@link Devices#open()} chooses.
     *
     * @param args not used
     */
    public static void main(String[] args) {
        run(System.out);
    }

    static void run(PrintStream out) {
        // The arena holds the requests; closing the context closes all that was made from it.
        try (Arena arena = Arena.ofConfined();
                DeviceContext context = Devices.open()) {
            ProtectionDomain domain = context.allocateProtectionDomain();
            CompletionQueue queue = context.createCompletionQueue(16);
            QueuePair left = domain.createQueuePair(QueuePairOptions.of(queue));
            QueuePair right = domain.createQueuePair(QueuePairOptions.of(queue));
            ConnectionSettings settings = ConnectionSettings.of(AccessFlag.REMOTE_WRITE);
            left.connect(address(context, right), settings);
            right.connect(address(context, left), settings);

            MemoryRegion source = domain.allocate(SIZE);
            MemoryRegion target =
                    domain.allocate(SIZE, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE);
            WorkCompletion completion = WorkCompletion.allocate(arena, 1);
            SendWorkRequest request = SendWorkRequest.allocate(arena, 1).element(source, 0, SIZE);

            // Two-sided: the receiver says where the next message goes, and both sides complete.
            // A post returns how many requests the queue had room for: here always the one.
            right.postReceive(ReceiveWorkRequest.allocate(arena, 1).id(1).element(target, 0, SIZE));
            source.memory().setString(0, "a message");
            left.postSend(request.id(2).opcode(SendOpcode.SEND));
            await(queue, completion, out);
            await(queue, completion, out);
            out.println("after SEND:  " + target.memory().getString(0));

            // One-sided: the sender says where the bytes go, and the receiver hears nothing.
            source.memory().setString(0, "written from afar");
            request.id(3).opcode(SendOpcode.RDMA_WRITE).remote(target.address(), target.rkey());
            left.postSend(request);
            await(queue, completion, out);
            out.println("after WRITE: " + target.memory().getString(0));
        }
    }

    /** What a peer must know; between two processes this travels over any other channel. */
    private static QueuePairAddress address(DeviceContext context, QueuePair pair) {
        return new QueuePairAddress(
                context.queryGids(1).getFirst().gid(),
                context.queryPort(1).lid(),
                pair.number(),
                0);
    }

    private static void await(CompletionQueue queue, WorkCompletion completion, PrintStream out) {
        while (queue.poll(completion) == 0) {
            Thread.onSpinWait();
        }
        if (completion.status() != WorkCompletionStatus.SUCCESS) {
            throw new IllegalStateException(completion.toString());
        }
        out.println("request " + completion.id() + ": " + completion.opcode());
    }
}
