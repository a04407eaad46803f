// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

import io.verbena.memory.internal.Threads;
import io.verbena.verbs.CompletionChannel;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.WorkCompletion;
import java.lang.foreign.Arena;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves all connections of a stack: polls their completion queues and lets them advance.
 *
 * <p>All work is done inside its <em>turn</em>, which one thread at a time holds: the event thread;
 * a thread that waits for a message and finds no other thread waiting; a sender, for as long as it
 * takes to post. Nobody waits for the turn: a thread that finds it taken leaves a call in a list,
 * and the holder looks at that list when it gives the turn back.
 */
final class EventLoop {
    private static final Logger LOG = LoggerFactory.getLogger(EventLoop.class);
    private static final int AWAKE = 0;
    private static final int SLEEPING = 1;

    /** How long the event thread leaves the work to a waiting thread that polls. */
    private static final long TURN_PAUSE_NS = 20_000;

    private static final long NAP_NS = 1_000_000;

    private static final VarHandle TURN;
    private static final VarHandle STATE;
    private static final VarHandle DRIVES;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            TURN = lookup.findVarHandle(EventLoop.class, "turn", int.class);
            STATE = lookup.findVarHandle(EventLoop.class, "state", int.class);
            DRIVES = lookup.findVarHandle(EventLoop.class, "drives", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final DeviceContext context;
    private final CompletionChannel channel;
    private final long spinNs;
    private final Thread thread;
    private final Arena arena = Arena.ofShared();
    private final CallList<SocketEndpoint> calls = new CallList<>();
    private final AtomicInteger waiting = new AtomicInteger();
    private final AtomicInteger parked = new AtomicInteger();

    // inside the turn
    private final Requests requests;
    private final WorkCompletion cursor = WorkCompletion.allocate(arena, CompletionPort.BATCH);
    private final List<SocketEndpoint> starved = new ArrayList<>();
    private volatile CompletionPort[] ports = {};

    @SuppressWarnings("unused") // accessed through TURN
    private volatile int turn;

    @SuppressWarnings("unused") // accessed through STATE
    private volatile int state = AWAKE;

    @SuppressWarnings("unused") // accessed through DRIVES
    private long drives;

    private volatile boolean isNapping;
    private volatile boolean isStopping;

    EventLoop(ProtectionDomain domain, Duration spin) {
        this.context = domain.context();
        this.requests = new Requests(arena, domain);
        this.channel = context.createCompletionChannel();
        this.spinNs = spin.toNanos();
        this.thread =
                Thread.ofPlatform().name("verbena-socket-events").daemon(true).unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    Requests requests() {
        return requests;
    }

    long spinNs() {
        return spinNs;
    }

    /** {@return a port with a free slot} Inside the turn. */
    CompletionPort roomyPort() {
        for (CompletionPort port : ports) {
            if (!port.isFull()) {
                return port;
            }
        }
        CompletionPort port = new CompletionPort(context, channel);
        CompletionPort[] more = Arrays.copyOf(ports, ports.length + 1);
        more[ports.length] = port;
        ports = more;
        // the event thread may be asleep with only the others armed
        wake();
        return port;
    }

    /** Runs something inside the turn, waiting for the turn: for rare operations. */
    void inTurn(Runnable task) {
        while (!tryEnter()) {
            // Park instead of spinning: the holder may be a virtual thread that needs this carrier
            // thread.
            LockSupport.parkNanos(TURN_PAUSE_NS);
        }
        try {
            task.run();
            feedStarved();
        } finally {
            leave();
        }
        runCalls();
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
        List<SocketEndpoint> hungry = List.copyOf(starved);
        starved.clear();
        hungry.forEach(SocketEndpoint::advance);
    }

    /** Lets an endpoint advance, now or as soon as the turn is given back. Any thread. */
    void call(SocketEndpoint endpoint) {
        if (calls.add(endpoint.call())) {
            runCalls();
        }
    }

    private void runCalls() {
        while (!calls.isEmpty() && tryEnter()) {
            try {
                answerCalls();
            } finally {
                leave();
            }
        }
    }

    private int answerCalls() {
        int count = calls.drain(SocketEndpoint::advance);
        if (count > 0) {
            feedStarved();
        }
        return count;
    }

    private boolean tryEnter() {
        return turn == 0 && TURN.compareAndSet(this, 0, 1);
    }

    /** A full fence: the check that follows sees a call that was added before. */
    private void leave() {
        TURN.setVolatile(this, 0);
    }

    /** A thread starts to wait; {@link #onWaitEnd} must follow. */
    void onWait() {
        waiting.incrementAndGet();
    }

    void onWaitEnd() {
        waiting.decrementAndGet();
    }

    /** A waiting thread stops polling and parks; {@link #onParkEnd} must follow. */
    void onPark() {
        parked.incrementAndGet();
        endNap();
    }

    void onParkEnd() {
        parked.decrementAndGet();
    }

    /** Polls in place of the event thread, if no other thread waits. For a waiting thread. */
    void drive() {
        if (waiting.get() > 1) {
            endNap();
            Thread.onSpinWait();
            return;
        }
        if (!tryEnter()) {
            Thread.onSpinWait();
            return;
        }
        try {
            DRIVES.setOpaque(this, (long) DRIVES.getOpaque(this) + 1);
            pass();
        } finally {
            leave();
        }
        runCalls();
    }

    /** The event thread is needed again. Call it after the change that {@link #isNeeded} sees. */
    private void endNap() {
        if (isNapping) {
            LockSupport.unpark(thread);
        }
    }

    /** {@return whether a thread depends on the event thread to poll for it} */
    private boolean isNeeded() {
        return parked.get() > 0 || waiting.get() > 1 || isStopping;
    }

    private int pass() {
        int work = answerCalls();
        for (CompletionPort port : ports) {
            work += port.poll(cursor);
        }
        return work;
    }

    private void run() {
        long drivesSeen = 0;
        long idleSinceNs = 0;
        while (!isStopping) {
            long drivesNow = (long) DRIVES.getOpaque(this);
            if (drivesNow != drivesSeen && !isNeeded()) {
                drivesSeen = drivesNow;
                idleSinceNs = 0;
                nap();
            } else if (passIfFree() > 0) {
                idleSinceNs = 0;
            } else if (idleSinceNs == 0) {
                idleSinceNs = System.nanoTime();
            } else if (System.nanoTime() - idleSinceNs < spinNs) {
                // not just a hint: the thread that produces the next message may need the processor
                Thread.yield();
            } else {
                idleSinceNs = 0;
                sleep();
            }
        }
    }

    /** Another thread polls: checks again a little later. */
    private void nap() {
        isNapping = true;
        // a thread that needs this one from now on sees the flag; one that did before is seen here
        if (!isNeeded()) {
            LockSupport.parkNanos(NAP_NS);
        }
        isNapping = false;
    }

    private int passIfFree() {
        if (!tryEnter()) {
            return 0;
        }
        int work;
        try {
            work = pass();
        } catch (VerbsException e) {
            LOG.error("a completion queue failed; its connections hang until they are closed", e);
            work = 0;
        } finally {
            leave();
        }
        runCalls();
        return work;
    }

    private void sleep() {
        CompletionPort[] all = ports;
        if (!tryArm(all)) {
            return;
        }
        // a full fence, before the check for what may have changed
        STATE.setVolatile(this, SLEEPING);
        boolean isInterrupted = false;
        try {
            if (all.length == ports.length && !isStopping) {
                awaitEvents();
            }
        } catch (InterruptedException e) {
            isInterrupted = true;
        }
        if (!STATE.compareAndSet(this, SLEEPING, AWAKE)) {
            // the thread that swapped the state owes one interrupt: it must hit nothing else
            while (!isInterrupted && !Thread.interrupted()) {
                Thread.onSpinWait();
            }
        }
    }

    /** {@return whether nothing came before arming, so that what comes next raises an event} */
    private boolean tryArm(CompletionPort[] all) {
        if (!tryEnter()) {
            return false;
        }
        try {
            for (CompletionPort port : all) {
                port.arm();
            }
            return pass() == 0;
        } finally {
            leave();
            runCalls();
        }
    }

    private void awaitEvents() throws InterruptedException {
        Optional<CompletionQueue> event = Optional.of(channel.awaitEvent());
        while (event.isPresent()) {
            for (CompletionPort port : ports) {
                if (port.queue().equals(event.get())) {
                    port.onEvent();
                }
            }
            event = channel.awaitEvent(Duration.ZERO);
        }
    }

    private void wake() {
        if (STATE.compareAndSet(this, SLEEPING, AWAKE)) {
            thread.interrupt();
        }
    }

    /** Ends the thread and closes the queues; all connections are closed already. */
    void close() {
        isStopping = true;
        wake();
        LockSupport.unpark(thread);
        Threads.awaitEnd(thread);
        for (CompletionPort port : ports) {
            port.close();
        }
        channel.close();
        requests.metaData.close();
        arena.close();
    }
}
