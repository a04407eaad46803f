// SPDX-License-Identifier: Apache-2.0

package io.verbena.benchmarks;

import io.verbena.verbs.QueuePair;
import io.verbena.verbs.ReceiveWorkRequest;
import io.verbena.verbs.SendOpcode;
import io.verbena.verbs.SendWorkRequest;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What does it cost one thread to post an 8-byte message, move it, and poll its completions? With
 * {@code -prof gc}: does any of it allocate? ({@code gc.alloc.rate.norm} must be about 0 B/op.)
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class PostPollBenchmark {
    private static final int BYTES = 8;

    /** How the two sides reach each other. */
    @Param({"IN_PROCESS", "SHARED_MEMORY"})
    public Wire wire;

    private End near;
    private End far;
    private QueuePair nearPair;
    private QueuePair farPair;
    private SendWorkRequest send;
    private SendWorkRequest write;
    private ReceiveWorkRequest receive;

    /** Connects two queue pairs and prepares the requests. */
    @Setup
    public void connect() {
        near = new End(wire.openNear());
        far = new End(wire.openFar());
        nearPair = near.createPair();
        farPair = far.createPair();
        End.connect(near, nearPair, far, farPair);
        int flags = SendWorkRequest.SIGNALED | SendWorkRequest.INLINE;
        send = request(SendOpcode.SEND, flags);
        write =
                request(SendOpcode.RDMA_WRITE, flags)
                        .remote(far.region.address(), far.region.rkey());
        receive = ReceiveWorkRequest.allocate(far.arena(), 1).element(far.region, 0, BYTES);
    }

    /** Closes both sides. */
    @TearDown
    public void close() {
        near.close();
        far.close();
    }

    /** Posts a receive and a send, and polls both completions. */
    @Benchmark
    public void sendAndReceive() {
        taken(farPair.postReceive(receive));
        taken(nearPair.postSend(send));
        awaitCompletions(2);
    }

    /** Posts a write, lets the target's device place it, and polls its completion. */
    @Benchmark
    public void write() {
        taken(nearPair.postSend(write));
        awaitCompletions(1);
    }

    /** One thread acts for both sides: each makes progress when its queue is polled. */
    private void awaitCompletions(int count) {
        int found = 0;
        while (found < count) {
            found += far.poll() + near.poll();
        }
    }

    private SendWorkRequest request(SendOpcode opcode, int flags) {
        return SendWorkRequest.allocate(near.arena(), 1)
                .opcode(opcode)
                .flags(flags)
                .element(near.region, 0, BYTES);
    }

    private static void taken(int count) {
        if (count != 1) {
            throw new IllegalStateException("requests taken: " + count + " (expected: 1)");
        }
    }
}
