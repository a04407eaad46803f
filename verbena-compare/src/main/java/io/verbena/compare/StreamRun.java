// SPDX-License-Identifier: Apache-2.0

package io.verbena.compare;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/** Measures one stream: this thread reads what the server writes as fast as the windows allow. */
final class StreamRun {
    /** Messages between two readings of the clock. */
    private static final int MESSAGES_PER_LOOK = 16;

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final EchoClient client;
    private final int bytes;
    private final Processors processors;

    StreamRun(EchoClient client, int bytes, Processors processors) {
        this.client = client;
        this.bytes = bytes;
        this.processors = processors;
    }

    /**
     * {@return the measured figures}
     *
     * @param warmUpNs how long to read before measuring
     * @param measureNs how long to measure
     */
    StreamFigures run(long warmUpNs, long measureNs) {
        try (EchoClient.MessageStream stream = client.stream(bytes)) {
            long _ = read(stream, warmUpNs);
            long garbage = THREADS.getTotalThreadAllocatedBytes();
            double usedNs = processors.usedNs();
            long startNs = System.nanoTime();
            long messages = read(stream, measureNs);
            double perSecond = messages * 1e9 / (System.nanoTime() - startNs);
            usedNs = processors.usedNs() - usedNs;
            garbage = THREADS.getTotalThreadAllocatedBytes() - garbage;
            return new StreamFigures(
                    perSecond,
                    perSecond * bytes / 1e6,
                    (double) garbage / messages,
                    usedNs / 1e3 / messages);
        }
    }

    /** {@return how many messages were read} */
    private long read(EchoClient.MessageStream stream, long forNs) {
        long untilNs = System.nanoTime() + forNs;
        long messages = 0;
        do {
            for (int i = 0; i < MESSAGES_PER_LOOK; i++) {
                int received = stream.next();
                if (received != bytes) {
                    throw new IllegalStateException(
                            "a message has " + received + " bytes (expected: " + bytes + ")");
                }
            }
            messages += MESSAGES_PER_LOOK;
        } while (System.nanoTime() - untilNs < 0);
        return messages;
    }
}
