// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.rping;

import io.verbena.tools.TimedCompletions;
import io.verbena.tools.ToolException;
import io.verbena.verbs.AccessFlag;
import io.verbena.verbs.ConnectionEvent;
import io.verbena.verbs.ConnectionEventType;
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
import java.time.Duration;
import java.util.Optional;

/**
 * One side of a connection: its queue pair, its buffers, and waiting for what comes next. A wait
 * ends when the connection does, or when the peer is silent for too long. One thread.
 */
final class PingEndpoint implements AutoCloseable {
    private static final int SEND_DEPTH = 16;
    private static final int RECEIVE_DEPTH = 2;

    /** How often to check for the end of the connection while no completion comes. */
    private static final Duration TICK = Duration.ofMillis(100);

    /** How long the event for the end of a connection may take. */
    private static final Duration END_LIMIT = Duration.ofSeconds(2);

    /** Where the events of the connection come from. */
    interface EventSource {
        /** {@return the next event, or nothing if none came in time} */
        Optional<ConnectionEvent> awaitEvent(Duration wait) throws InterruptedException;
    }

    private final String side;
    private final ConnectionIdentifier identifier;
    private final EventSource events;
    private final Output output;
    private final Duration limit;
    private final Arena arena = Arena.ofConfined();
    private final TimedCompletions completions;
    private final ProtectionDomain domain;
    private final QueuePair pair;
    private final MemoryRegion incoming;
    private final MemoryRegion outgoing;
    private final SendWorkRequest send = SendWorkRequest.allocate(arena, 1);
    private final SendWorkRequest transfer = SendWorkRequest.allocate(arena, 1);
    private final ReceiveWorkRequest receive = ReceiveWorkRequest.allocate(arena, 1);
    private Location received = Location.NOWHERE;
    private boolean ended;

    /**
     * Creates the queue pair of a future connection and posts the first receive.
     *
     * @param side server or client, for messages
     * @param identifier the connection
     * @param events its events
     * @param output where to print
     * @param limit how long the peer may be silent
     */
    PingEndpoint(
            String side,
            ConnectionIdentifier identifier,
            EventSource events,
            Output output,
            Duration limit) {
        this.side = side;
        this.identifier = identifier;
        this.events = events;
        this.output = output;
        this.limit = limit;
        DeviceContext context = identifier.context();
        domain = context.allocateProtectionDomain();
        output.step("created pd");
        completions = new TimedCompletions(context, arena, 2 * SEND_DEPTH, true);
        output.step("created cq");
        try {
            pair =
                    identifier.createQueuePair(
                            domain,
                            QueuePairOptions.of(completions.queue())
                                    .withRequests(SEND_DEPTH, RECEIVE_DEPTH));
            output.step("created qp");
            incoming = domain.allocate(Location.SIZE, AccessFlag.LOCAL_WRITE);
            outgoing = domain.allocate(Location.SIZE);
            send.element(outgoing, 0, Location.SIZE);
            receive.element(incoming, 0, Location.SIZE);
            pair.postReceive(receive);
        } catch (RuntimeException e) {
            // A server for many clients must survive one that it has no room for.
            close();
            throw e;
        }
    }

    /** {@return a buffer that the peer may read and write} */
    MemoryRegion allocate(int size) {
        return domain.allocate(
                size, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_WRITE);
    }

    /** Sends a location to the peer; does not wait until it is sent. */
    void send(Location location) {
        location.write(outgoing.memory());
        pair.postSend(send);
    }

    /** {@return what the peer sends next, or nothing if it has ended the connection} */
    Optional<Location> tryReceive() throws InterruptedException {
        return await(WorkCompletionOpcode.RECEIVE) ? Optional.of(received) : Optional.empty();
    }

    /**
     * {@return what the peer sends next}
     *
     * @param state what this side waits for, as the C program calls it
     */
    Location receive(String state) throws InterruptedException {
        return tryReceive().orElseThrow(() -> disconnected(state));
    }

    /** Reads from, or writes to, the peer's location, and waits until that is done. */
    void transfer(SendOpcode opcode, MemoryRegion local, int length, Location remote)
            throws InterruptedException {
        transfer.opcode(opcode).element(local, 0, length).remote(remote.address(), remote.rkey());
        pair.postSend(transfer);
        WorkCompletionOpcode done =
                opcode == SendOpcode.RDMA_READ
                        ? WorkCompletionOpcode.RDMA_READ
                        : WorkCompletionOpcode.RDMA_WRITE;
        if (!await(done)) {
            throw disconnected(done + "_COMPLETE");
        }
    }

    /** Ends the connection, if the peer has not, and waits until it has ended. */
    void disconnect() throws InterruptedException {
        identifier.disconnect();
        awaitEnd();
    }

    @Override
    public void close() {
        identifier.close();
        domain.close();
        completions.close();
        arena.close();
    }

    private ToolException disconnected(String state) {
        return new ToolException(
                "wait for " + state + ": the peer disconnected in the middle of a ping");
    }

    /** {@return whether a request of this kind completed; if not, the connection has ended} */
    private boolean await(WorkCompletionOpcode wanted) throws InterruptedException {
        long deadline = System.nanoTime() + limit.toNanos();
        while (!ended) {
            if (completions.await(TICK)) {
                if (take(completions.current(), wanted)) {
                    return true;
                }
            } else {
                lookForEnd(Duration.ZERO);
                if (!ended && System.nanoTime() - deadline > 0) {
                    throw new ToolException(
                            "the peer has been silent for " + limit.toSeconds() + " s");
                }
            }
        }
        return false;
    }

    private boolean take(WorkCompletion completion, WorkCompletionOpcode wanted)
            throws InterruptedException {
        if (completion.status() == WorkCompletionStatus.WORK_REQUEST_FLUSHED) {
            awaitEnd();
            ended = true;
            return false;
        }
        if (completion.status() != WorkCompletionStatus.SUCCESS) {
            throw new ToolException(
                    "cq completion failed status "
                            + completion.statusCode()
                            + " ("
                            + completion.status()
                            + ")");
        }
        WorkCompletionOpcode opcode = completion.opcode();
        output.step(opcode + " completion");
        if (opcode == WorkCompletionOpcode.RECEIVE) {
            onReceive(completion);
        }
        if (opcode != wanted && opcode != WorkCompletionOpcode.SEND) {
            throw new ToolException("completion: " + opcode + " (expected: " + wanted + ")");
        }
        return opcode == wanted;
    }

    private void onReceive(WorkCompletion completion) {
        received = Location.read(incoming.memory(), completion.length());
        // Before anything is sent that lets the peer send again.
        pair.postReceive(receive);
    }

    private void awaitEnd() throws InterruptedException {
        long deadline = System.nanoTime() + END_LIMIT.toNanos();
        while (!ended && System.nanoTime() - deadline < 0) {
            lookForEnd(TICK);
        }
    }

    private void lookForEnd(Duration wait) throws InterruptedException {
        Optional<ConnectionEvent> event = events.awaitEvent(wait);
        event.ifPresent(e -> output.step("cma_event type " + e.type()));
        if (event.isPresent() && event.get().type() == ConnectionEventType.DISCONNECTED) {
            output.notice(side + " DISCONNECT EVENT...");
            ended = true;
        }
    }
}
