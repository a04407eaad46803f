// SPDX-License-Identifier: Apache-2.0

package io.verbena.examples.tutorial;

import io.verbena.verbs.AccessFlag;
import io.verbena.verbs.ConnectionSettings;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.SendOpcode;
import io.verbena.verbs.SendWorkRequest;
import java.io.PrintStream;

/** Chapter 3: WRITE and READ, and what happens if no request asks for a completion. */
public final class UnsignaledWrites {
    private static final int SIZE = 64;
    private static final int UNSIGNALED = 0;

    private UnsignaledWrites() {}

    /**
     * Runs on the device that is chosen by default.
     *
     * @param args not used
     */
    public static void main(String[] args) {
        run(System.out);
    }

    static void run(PrintStream out) {
        try (TwoPairs pairs = new TwoPairs()) {
            QueuePair left = pairs.left();
            ConnectionSettings settings =
                    ConnectionSettings.of(AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ);
            left.connect(pairs.address(pairs.right()), settings);
            pairs.right().connect(pairs.address(left), settings);
            MemoryRegion mine = pairs.domain().allocate(SIZE, AccessFlag.LOCAL_WRITE);
            MemoryRegion theirs =
                    pairs.domain()
                            .allocate(
                                    SIZE,
                                    AccessFlag.LOCAL_WRITE,
                                    AccessFlag.REMOTE_WRITE,
                                    AccessFlag.REMOTE_READ);
            SendWorkRequest request =
                    SendWorkRequest.allocate(pairs.arena(), 1).element(mine, 0, SIZE);

            // One completion for four writes: requests of a queue pair complete in order.
            request.opcode(SendOpcode.RDMA_WRITE).remote(theirs.address(), theirs.rkey());
            mine.memory().setString(0, "written");
            for (int i = 1; i < 4; i++) {
                left.postSend(request.id(i).flags(UNSIGNALED));
            }
            left.postSend(request.id(4).flags(SendWorkRequest.SIGNALED));
            out.println("completed: request " + pairs.await().id() + ", so 1 to 3 are too");
            out.println("another completion: " + pairs.isCompleted());

            mine.memory().fill((byte) 0);
            request.opcode(SendOpcode.RDMA_READ);
            left.postSend(request.id(5).flags(SendWorkRequest.SIGNALED));
            out.println("completed: request " + pairs.await().id());
            out.println("read back: " + mine.memory().getString(0));

            // Places become free only when a completion has been polled.
            int posted = 0;
            while (left.postSend(request.id(6).flags(UNSIGNALED)) == 1) {
                posted++;
            }
            out.println("unsignaled requests that fit: " + posted);
            out.println("ever again: " + (left.postSend(request) == 1));
        }
    }
}
