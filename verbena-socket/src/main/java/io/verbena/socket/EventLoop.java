// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

import io.verbena.completion.Poller;
import io.verbena.completion.PollerOptions;
import io.verbena.completion.PollerWork;
import io.verbena.verbs.CompletionChannel;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.WorkCompletion;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves all connections of a stack: polls their completion queues and lets them advance. Its {@link
 * Poller} decides which thread does so: the event thread; a thread that waits for a message; a
 * sender, for as long as it takes to post. All of it happens inside the poller's turn.
 */
final class EventLoop implements PollerWork {
    private static final Logger LOG = LoggerFactory.getLogger(EventLoop.class);

    private final DeviceContext context;
    private final CompletionChannel channel;
    private final Poller poller;
    private final Arena arena = Arena.ofShared();
    private final CallList<SocketEndpoint> calls = new CallList<>();

    // inside the turn
    private final Requests requests;
    private final WorkCompletion cursor = WorkCompletion.allocate(arena, CompletionPort.BATCH);
    private List<SocketEndpoint> starved = new ArrayList<>();
    private List<SocketEndpoint> fed = new ArrayList<>();
    private volatile CompletionPort[] ports = {};

    EventLoop(ProtectionDomain domain, Duration spin) {
        this.context = domain.context();
        this.requests = new Requests(arena, domain);
        this.channel = context.createCompletionChannel();
        this.poller =
                new Poller(
                        "verbena-socket-events",
                        channel,
                        this,
                        new PollerOptions(false, false, spin.toNanos()));
    }

    void start() {
        poller.start();
    }

    /** {@return who polls, and when} */
    Poller poller() {
        return poller;
    }

    Requests requests() {
        return requests;
    }

    /** {@return a port with a free slot} Inside the turn. */
    CompletionPort roomyPort() {
        for (CompletionPort port : ports) {
            if (port.hasRoom()) {
                return port;
            }
        }
        CompletionPort port = new CompletionPort(context, channel);
        // the event thread may be asleep, with only the others armed
        port.arm();
        CompletionPort[] more = Arrays.copyOf(ports, ports.length + 1);
        more[ports.length] = port;
        ports = more;
        return port;
    }

    /**
     * {@return whether a task was run inside the turn; false if the loop has ended} Waits for the
     * turn: for rare operations.
     */
    boolean inTurn(Runnable task) {
        return poller.inTurn(
                () -> {
                    task.run();
                    feedStarved();
                });
    }

    /**
     * An endpoint waits for memory: it advances again when any other endpoint does. Inside the
     * turn.
     */
    void onStarved(SocketEndpoint endpoint) {
        if (!starved.contains(endpoint)) {
            starved.add(endpoint);
        }
    }

    private void feedStarved() {
        if (starved.isEmpty()) {
            return;
        }
        List<SocketEndpoint> hungry = starved;
        // not a new list: whoever has just been served must not fail for want of memory
        starved = fed;
        fed = hungry;
        hungry.forEach(SocketEndpoint::advance);
        hungry.clear();
    }

    /** Lets an endpoint advance, now or as soon as the turn is given back. Any thread. */
    void call(SocketEndpoint endpoint) {
        if (calls.add(endpoint.call())) {
            poller.runCalls();
        }
    }

    /** Polls once, unless another thread does. For a thread that does not wait. */
    void drive() {
        poller.tryDrive();
    }

    @Override
    public int pass() {
        int work = answerCalls();
        for (CompletionPort port : ports) {
            work += port.poll(cursor);
        }
        return work;
    }

    private int answerCalls() {
        int count = calls.drain(SocketEndpoint::advance);
        if (count > 0) {
            feedStarved();
        }
        return count;
    }

    @Override
    public boolean hasCalls() {
        return !calls.isEmpty();
    }

    @Override
    public void runCalls() {
        answerCalls();
    }

    /** Nothing is kept for the next pass. */
    @Override
    public void flush() {}

    @Override
    public void arm() {
        for (CompletionPort port : ports) {
            port.arm();
        }
    }

    @Override
    public boolean isWatching() {
        return false;
    }

    @Override
    public boolean isInUse() {
        return ports.length > 0;
    }

    /** Nothing is held that could be given back. */
    @Override
    public void onRest() {}

    @Override
    public void onEvent(CompletionQueue queue) {
        for (CompletionPort port : ports) {
            if (port.queue().equals(queue)) {
                port.onEvent();
                return;
            }
        }
        LOG.warn("an event of an unknown queue: {}", queue);
    }

    /** A connection that was being made when the stack was closed ends by itself, within limits. */
    @Override
    public boolean mayEnd() {
        for (CompletionPort port : ports) {
            if (!port.isIdle()) {
                return false;
            }
        }
        return true;
    }

    @Override
    public void onEnd() {}

    /** Ends the thread and closes the queues; all connections are closed already. */
    void close() {
        poller.stop();
        poller.awaitEnd();
        for (CompletionPort port : ports) {
            port.close();
        }
        channel.close();
        requests.metaData.close();
        arena.close();
    }
}
