// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.verbs;

import io.verbena.tools.ToolException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What to measure. The client decides and sends it to the server, so that the two sides cannot
 * disagree.
 *
 * @param test which operation
 * @param sizes the message sizes, in order
 * @param iterations messages per run; 0 for a number that suits the size
 * @param warmup messages before the first run, unmeasured
 * @param runs how many runs to make; the report gives medians
 * @param txDepth how many requests are outstanding
 * @param rxDepth how many receives are posted
 * @param postList how many requests of a bandwidth test are posted together
 * @param workingSet how many bytes the messages of a bandwidth test rotate over, on each side
 * @param inlineBytes the longest message to send inline; -1 for what suits the test and the device
 * @param events whether to sleep until an event comes, rather than poll
 * @param memory what memory is used
 * @param atomic which atomic operation
 * @param idlePairs how many connected queue pairs share the completion queue and do nothing
 */
public record TestPlan(
        TestKind test,
        List<Integer> sizes,
        int iterations,
        int warmup,
        int runs,
        int txDepth,
        int rxDepth,
        int postList,
        int workingSet,
        int inlineBytes,
        boolean events,
        BufferMemory memory,
        AtomicKind atomic,
        int idlePairs) {
    private static final int VERSION = 0x56420003;

    /** The default working set: larger than a core's own cache. */
    static final int WORKING_SET = 16 << 20;

    /** Checks each value. */
    public TestPlan {
        sizes = List.copyOf(sizes);
        check("iterations", iterations, 0, 100_000_000);
        check("warmup", warmup, 0, 100_000_000);
        check("runs", runs, 1, 1000);
        check("tx-depth", txDepth, 1, 65536);
        check("rx-depth", rxDepth, 2, 65536);
        check("post-list", postList, 1, txDepth);
        check("working-set", workingSet, 1, 1 << 30);
        check("idle-pairs", idlePairs, 0, 1_000_000);
        for (int bytes : sizes) {
            check("size", bytes, 1, 1 << 30);
        }
        if (test == TestKind.ATOMIC_LAT && !sizes.equals(List.of(Long.BYTES))) {
            throw new IllegalArgumentException("size: " + sizes + " (expected: 8 for an atomic)");
        }
        if (test == TestKind.WRITE_LAT && events) {
            throw new IllegalArgumentException(
                    "events: not supported by write_lat (its receiver watches memory, and a write makes"
                            + " no event there)");
        }
    }

    int iterationsOf(int bytes) {
        return iterations > 0 ? iterations : test.defaultIterations(bytes);
    }

    /** {@return the warm-up for a size: fewer if messages are long, where copying dominates} */
    int warmupOf(int bytes) {
        return (int) Math.min(warmup, Math.max(100, (1L << 30) / bytes));
    }

    /** {@return how many buffers the messages of a size rotate over} */
    int slotsOf(int bytes) {
        return test.isLatency() ? 1 : Math.clamp(workingSet / stride(bytes), 1, txDepth);
    }

    /**
     * {@return how far apart the buffers are: whole cache lines, so that no two messages share one}
     */
    static int stride(int bytes) {
        return (bytes + 63) & -64;
    }

    /** {@return the memory that the largest size needs on each side, in each direction} */
    long areaBytes() {
        return sizes.stream()
                .mapToLong(size -> (long) slotsOf(size) * stride(size))
                .max()
                .orElseThrow();
    }

    byte[] encode() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        try {
            out.writeInt(VERSION);
            out.writeUTF(test.name());
            out.writeInt(sizes.size());
            for (int size : sizes) {
                out.writeInt(size);
            }
            out.writeInt(iterations);
            out.writeInt(warmup);
            out.writeInt(runs);
            out.writeInt(txDepth);
            out.writeInt(rxDepth);
            out.writeInt(postList);
            out.writeInt(workingSet);
            out.writeInt(inlineBytes);
            out.writeBoolean(events);
            out.writeUTF(memory.name());
            out.writeUTF(atomic.name());
            out.writeInt(idlePairs);
            return bytes.toByteArray();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static TestPlan decode(byte[] bytes) {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
        try {
            int version = in.readInt();
            if (version != VERSION) {
                throw new ToolException(
                        String.format(
                                Locale.ROOT,
                                "version of the client: %08x (expected: %08x)",
                                version,
                                VERSION));
            }
            TestKind test = TestKind.valueOf(in.readUTF());
            int count = in.readInt();
            List<Integer> sizes = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                sizes.add(in.readInt());
            }
            return new TestPlan(
                    test,
                    sizes,
                    in.readInt(),
                    in.readInt(),
                    in.readInt(),
                    in.readInt(),
                    in.readInt(),
                    in.readInt(),
                    in.readInt(),
                    in.readInt(),
                    in.readBoolean(),
                    BufferMemory.valueOf(in.readUTF()),
                    AtomicKind.valueOf(in.readUTF()),
                    in.readInt());
        } catch (IOException e) {
            throw new ToolException("the client's plan is cut short", e);
        }
    }

    private static void check(String name, int value, int min, int max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(
                    name + ": " + value + " (expected: " + min + ".." + max + ")");
        }
    }
}
