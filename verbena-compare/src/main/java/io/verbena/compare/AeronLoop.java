// SPDX-License-Identifier: Apache-2.0

package io.verbena.compare;

import io.aeron.Publication;
import io.aeron.Subscription;
import io.aeron.logbuffer.FragmentHandler;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.AgentRunner;
import org.agrona.concurrent.YieldingIdleStrategy;

/** A thread that polls a subscription. It yields when there is nothing: processors are few. */
final class AeronLoop implements Agent {
    private static final int FRAGMENTS = 64;

    private final String name;
    private final Subscription subscription;
    private final FragmentHandler handler;

    private AeronLoop(String name, Subscription subscription, FragmentHandler handler) {
        this.name = name;
        this.subscription = subscription;
        this.handler = handler;
    }

    /** {@return the running thread} */
    static AgentRunner start(String name, Subscription subscription, FragmentHandler handler) {
        AgentRunner runner =
                new AgentRunner(
                        YieldingIdleStrategy.INSTANCE,
                        failure -> System.err.println(name + ": " + failure),
                        null,
                        new AeronLoop(name, subscription, handler));
        AgentRunner.startOnThread(runner);
        return runner;
    }

    /** Sends a message; waits while there is no room, or nobody listens yet. */
    static void offer(Publication publication, DirectBuffer buffer, int offset, int length) {
        long position = publication.offer(buffer, offset, length);
        while (position < 0) {
            if (position == Publication.CLOSED || position == Publication.MAX_POSITION_EXCEEDED) {
                throw new IllegalStateException(
                        "the publication is over: " + Publication.errorString(position));
            }
            Thread.yield();
            position = publication.offer(buffer, offset, length);
        }
    }

    @Override
    public int doWork() {
        return subscription.poll(handler, FRAGMENTS);
    }

    @Override
    public String roleName() {
        return name;
    }
}
