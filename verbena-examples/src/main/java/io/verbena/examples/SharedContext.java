// SPDX-License-Identifier: Apache-2.0

package io.verbena.examples;

import io.verbena.verbs.CompletionChannel;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.WorkCompletion;
import java.lang.foreign.Arena;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What all connections of a program share: protection domain, completion channel, completion queue
 * and the thread that polls it; the tutorial's {@code struct context}.
 */
final class SharedContext implements AutoCloseable {
    private static final int COMPLETIONS = 10;
    private static final int REQUESTS = 10;

    private final ProtectionDomain domain;
    private final CompletionChannel channel;
    private final CompletionQueue queue;
    private final Thread poller;
    private final Map<Long, CompletionHandler> handlers = new ConcurrentHashMap<>();

    private SharedContext(DeviceContext device) {
        domain = device.allocateProtectionDomain();
        channel = device.createCompletionChannel();
        queue = device.createCompletionQueue(COMPLETIONS, channel, 0);
        queue.requestNotification(CompletionQueue.Notification.ANY);
        poller = Thread.ofPlatform().daemon().name("poll-cq").unstarted(this::pollCompletions);
    }

    /**
     * {@return the context of a device, with its poller running; {@code build_context}}
     *
     * @param device where to build it
     */
    static SharedContext build(DeviceContext device) {
        SharedContext context = new SharedContext(device);
        context.poller.start();
        return context;
    }

    ProtectionDomain domain() {
        return domain;
    }

    /** {@return one element per request, one queue for both directions; {@code build_qp_attr}} */
    QueuePairOptions queuePairOptions() {
        return QueuePairOptions.of(queue).withRequests(REQUESTS, REQUESTS);
    }

    /**
     * Hands the completions that carry a number to a handler.
     *
     * @param id the number in the work requests
     * @param handler the handler of its completions
     */
    void add(long id, CompletionHandler handler) {
        handlers.put(id, handler);
    }

    void remove(long id) {
        handlers.remove(id);
    }

    /** Wait, acknowledge, arm again, and only then poll: in this order no completion is missed. */
    private void pollCompletions() {
        try (Arena arena = Arena.ofConfined()) {
            WorkCompletion completion = WorkCompletion.allocate(arena, 1);
            while (true) {
                CompletionQueue ready = channel.awaitEvent();
                ready.acknowledgeEvents(1);
                ready.requestNotification(CompletionQueue.Notification.ANY);
                while (ready.poll(completion) > 0) {
                    dispatch(completion.at(0));
                }
            }
        } catch (InterruptedException e) {
            // close() ends the thread this way.
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            handlers.values().forEach(handler -> handler.onFailure(e));
        }
    }

    private void dispatch(WorkCompletion completion) {
        CompletionHandler handler = handlers.get(completion.id());
        if (handler != null) {
            handler.onCompletion(completion);
        }
    }

    /** Ends the poller, then closes the connections that are left, then the rest. */
    @Override
    public void close() {
        poller.interrupt();
        boolean interrupted = false;
        while (poller.isAlive()) {
            try {
                poller.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        handlers.values().forEach(CompletionHandler::close);
        queue.close();
        channel.close();
        domain.close();
    }
}
