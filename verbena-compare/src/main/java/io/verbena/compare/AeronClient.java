// SPDX-License-Identifier: Apache-2.0

package io.verbena.compare;

import io.aeron.Aeron;
import io.aeron.FragmentAssembler;
import io.aeron.Publication;
import io.aeron.Subscription;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.AgentRunner;
import org.agrona.concurrent.UnsafeBuffer;

/** The two streams of Aeron's, seen from the client. */
final class AeronClient implements EchoClient {
    private final Aeron aeron;
    private final Publication requests;
    private final AgentRunner runner;
    private final Queue<Outcome> underWay = new ConcurrentLinkedQueue<>();

    AeronClient(Aeron aeron, Publication requests, Subscription answers) {
        this.aeron = aeron;
        this.requests = requests;
        this.runner =
                AeronLoop.start(
                        "aeron-client",
                        answers,
                        new FragmentAssembler(
                                (buffer, offset, length, _) -> onAnswer(buffer, offset, length)));
    }

    private void onAnswer(DirectBuffer buffer, int offset, int length) {
        // a caller gets its bytes in an array of its own, as in an answer's message
        byte[] content = new byte[length];
        buffer.getBytes(offset, content);
        underWay.remove().onAnswer(content.length);
    }

    @Override
    public Caller caller(int bytes, Outcome outcome) {
        DirectBuffer content = new UnsafeBuffer(new byte[bytes]);
        return () -> {
            // answers are all alike, so it does not matter which of two threads offers first
            underWay.add(outcome);
            AeronLoop.offer(requests, content, 0, bytes);
        };
    }

    @Override
    public void close() {
        runner.close();
        aeron.close();
    }
}
