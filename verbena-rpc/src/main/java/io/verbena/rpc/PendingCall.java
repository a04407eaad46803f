// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.Message;
import io.verbena.rpc.wire.StreamSettings;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * A place of the {@link CallTable} and the call that is in it now.
 *
 * <pre>
 *                 take             publish              claim
 *        FREE ----------> MOVING ----------> WAITING ----------> ENDING ---> FREE, next generation
 *                            ^                  |
 *                            +------------------+
 *                                  claim: retry, backup
 * </pre>
 *
 * <p>Threads: the thread that sets the state to MOVING or ENDING owns all fields until it publishes
 * or frees the call. ENDING is final: other threads give up. MOVING is short unless foreign code
 * takes its time: the owner runs the balancer, the authenticator, the code of the request and the
 * retry policy. Whoever has other calls to serve, too, does not wait for that: it asks to be told
 * ({@link #tryAsk}), or waits on a thread that nobody depends on ({@link #isHeld}). Two do wait:
 * the connection that brings an answer to one of two tries while foreign code prepares the other,
 * and a thread whose own write has failed.
 */
final class PendingCall {
    static final int FREE = 0;
    static final int WAITING = 1;
    static final int MOVING = 2;
    static final int ENDING = 3;
    private static final int PHASE_BITS = 2;
    private static final int PHASE_MASK = (1 << PHASE_BITS) - 1;
    private static final int NO_ATTEMPT = -1;
    private static final int SPINS = 100;

    /** With the pauses, some milliseconds. */
    private static final int HELD_SPINS = 2 * SPINS;

    private static final long PAUSE_NS = 20_000;
    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(PendingCall.class, "state", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** No call: free forever, so no thread can claim it. */
    static final PendingCall NONE = new PendingCall(0);

    /** Place of the next free call, plus one. For the table. */
    int nextFree;

    CallSettings settings;
    ClientController controller;
    Message request;
    Message responsePrototype;
    Consumer<Message> done;
    byte[] names;

    /** What the latest try sends to prove who it is; null if the connection has done that. */
    byte[] credentials;

    /** The streams of the latest try; null if the call opens none. */
    StreamSettings streamSettings;

    long startNs;
    long timeoutNs;
    long deadlineNs;

    /** What tries have spent on connecting, up to {@link #connectingSinceNs}. */
    long connectingNs;

    long connectingSinceNs;
    int retriesLeft;

    /** The server of the latest try; null once it knows how that ended. */
    Target target;

    long tryStartNs;

    /** The server of the try before, if both are under way. */
    Target otherTarget;

    long otherStartNs;

    /** The connection of the latest try. */
    ClientSocket socket;

    /** The connection of the try before, if both are under way: one of them is a backup. */
    ClientSocket otherSocket;

    /** Whether the latest try is no longer under way, and the one before is. */
    boolean hasLatestFailed;

    /** What balancers see of the call. */
    final TryContext context = new TryContext(this);

    /** Servers that were tried. */
    final TriedServers tried = new TriedServers();

    /** Errors of tries that were followed by another try. */
    final StringBuilder history = new StringBuilder();

    boolean isBackupPlanned;

    /** Whether no try is under way, and the timer is to begin the next. */
    boolean isRetryPlanned;

    /** When the planned try is due. */
    long retryNs;

    /** Whether RDMA has failed, so that further tries go over TCP. */
    boolean isTcpForced;

    /**
     * When the timer looks at the call. Published with the state; a timer that reads an older value
     * only checks the call once too often.
     */
    private long wakeNs;

    /** The attempt that is under way alongside the latest. */
    private int otherAttempt = NO_ATTEMPT;

    private volatile long state;

    /** Told when the owner gives up the call; null if nobody has asked. */
    private volatile Consumer<PendingCall> asking;

    PendingCall(int place) {
        state = word(CallId.of(0, 0, place), FREE);
    }

    private static long word(long id, int phase) {
        return id << PHASE_BITS | phase;
    }

    static int phase(long word) {
        return (int) word & PHASE_MASK;
    }

    static long id(long word) {
        return word >>> PHASE_BITS;
    }

    long stateWord() {
        return state;
    }

    /** Makes the streams of a try, on its connection. The owner. */
    void bindStreams() {
        RequestStreams opened = controller.streams();
        streamSettings = opened == null ? null : opened.bind(socket.streams());
    }

    /** {@return which connections it uses: streams live on, on a shared one} */
    ConnectionType connectionType() {
        return controller.streams() == null
                ? settings.options().connectionType()
                : ConnectionType.SINGLE;
    }

    /** {@return the id of the latest try} */
    long id() {
        return id(state);
    }

    long wakeNs() {
        return wakeNs;
    }

    void wakeNs(long value) {
        wakeNs = value;
    }

    /** The call is no longer free: the thread that took it owns the fields. */
    void begin() {
        STATE.setRelease(this, word(id(), MOVING));
    }

    /**
     * {@return an instance of the answer's class, or null if the call is over} The caller does not
     * own the call: whether it still waits for the answer is known once it is claimed.
     *
     * @param id the id of any try of the call
     */
    Message prototypeOf(long id) {
        long seen = state;
        int phase = phase(seen);
        if (!CallId.isSameCall(id(seen), id) || phase == FREE || phase == ENDING) {
            return null;
        }
        Message found = responsePrototype;
        // If the place serves another call by now, its state says so: that changes first.
        VarHandle.loadLoadFence();
        return CallId.isSameCall(id(state), id) ? found : null;
    }

    /** Begins another try. The owner. */
    void nextAttempt() {
        otherAttempt = NO_ATTEMPT;
        otherSocket = null;
        socket = null;
        hasLatestFailed = false;
        STATE.setRelease(this, word(CallId.nextAttempt(id()), MOVING));
    }

    /** Begins another try while the previous one is still under way. The owner. */
    void nextAttemptBeside() {
        otherAttempt = CallId.attempt(id());
        otherSocket = socket;
        socket = null;
        otherTarget = target;
        otherStartNs = tryStartNs;
        target = null;
        STATE.setRelease(this, word(CallId.nextAttempt(id()), MOVING));
    }

    /** One of two tries has failed; the other goes on. The owner. */
    void drop(int attempt) {
        if (attempt == otherAttempt) {
            otherAttempt = NO_ATTEMPT;
            otherSocket = null;
        } else {
            hasLatestFailed = true;
        }
    }

    /**
     * Gives up the fields: from now on an answer, the timer, a failure or a cancel may claim the
     * call.
     */
    void publish() {
        state = word(id(), WAITING);
        Consumer<PendingCall> told = asking;
        if (told != null) {
            asking = null;
            told.accept(this);
        }
    }

    /**
     * {@return whether whoever owns the call will tell when it gives it up, unless it ends it} If
     * not, the state has changed meanwhile. Does not wait.
     *
     * <p>Ordering: this sets {@code asking}, then reads the state; the owner sets the state, then
     * reads {@code asking}. So either the owner sees it, or this sees another state. A call that
     * takes the place later may be the one that tells.
     *
     * @param seen a state in MOVING
     * @param told called by the thread that gives up the call; must neither block nor throw, and
     *     treats all who ask alike, because the last one replaces the others
     */
    boolean tryAsk(long seen, Consumer<PendingCall> told) {
        asking = told;
        return state == seen;
    }

    /**
     * {@return whether an owner keeps the call for longer than a moment: foreign code takes its
     * time} Waits for that moment.
     *
     * @param id the id of any try of the call
     */
    boolean isHeld(long id) {
        for (int spins = 0; spins < HELD_SPINS; spins++) {
            long seen = state;
            if (phase(seen) != MOVING || !CallId.isSameCall(id(seen), id)) {
                return false;
            }
            pause(spins);
        }
        return true;
    }

    /**
     * {@return whether the caller owns the call now, in MOVING} Waits if another owner is about to
     * publish it.
     *
     * @param id the id of a try; if it is no longer under way, the call is left alone
     */
    boolean tryClaim(long id) {
        if (!tryOwn(id)) {
            return false;
        }
        if (isUnderWay(CallId.attempt(id))) {
            return true;
        }
        publish();
        return false;
    }

    /**
     * {@return whether the caller owns the call now, in MOVING} Waits if another owner is about to
     * publish it.
     *
     * @param id the id of any try of the call, under way or not
     */
    boolean tryOwn(long id) {
        for (int spins = 0; ; spins++) {
            long seen = state;
            int phase = phase(seen);
            if (!CallId.isSameCall(id(seen), id) || phase == FREE || phase == ENDING) {
                return false;
            }
            if (phase == MOVING) {
                pause(spins);
            } else if (STATE.compareAndSet(this, seen, word(id(seen), MOVING))) {
                return true;
            }
        }
    }

    /** {@return whether the caller took the call from this state and now owns it} Does not wait. */
    boolean tryOwnFrom(long seen) {
        return phase(seen) == WAITING && STATE.compareAndSet(this, seen, word(id(seen), MOVING));
    }

    private static void pause(int spins) {
        if (spins < SPINS) {
            Thread.onSpinWait();
        } else {
            // Parked, not yielding: the owner may be a virtual thread that needs this carrier.
            LockSupport.parkNanos(PAUSE_NS);
        }
    }

    private boolean isUnderWay(int attempt) {
        return attempt == otherAttempt || attempt == CallId.attempt(id()) && !hasLatestFailed;
    }

    /** {@return whether any try is under way} The owner. */
    boolean isAnyUnderWay() {
        return otherAttempt != NO_ATTEMPT || !hasLatestFailed;
    }

    /**
     * {@return whether a try may be on a connection} The caller does not own the call: this is only
     * a hint, which the owner must check again.
     */
    boolean mayBeOn(ClientSocket connection) {
        return socket == connection || otherSocket == connection;
    }

    /** {@return whether a try may be on a connection to a server} A hint, as above. */
    boolean mayBeAt(RemoteServer server) {
        ClientSocket latest = socket;
        ClientSocket other = otherSocket;
        return latest != null && latest.owner() == server
                || other != null && other.owner() == server;
    }

    /**
     * {@return an attempt that is under way on a connection, or -1} If both are, the one before the
     * latest. The owner.
     */
    int attemptOn(ClientSocket connection) {
        int latest = CallId.attempt(id());
        if (isOn(otherAttempt, connection)) {
            return otherAttempt;
        }
        return isOn(latest, connection) ? latest : NO_ATTEMPT;
    }

    /** {@return a connection that has ended with a try under way on it, or null} The owner. */
    ClientSocket endedSocket() {
        if (hasEndedOn(otherSocket)) {
            return otherSocket;
        }
        return hasEndedOn(socket) ? socket : null;
    }

    private boolean hasEndedOn(ClientSocket connection) {
        return connection != null && connection.hasEnded() && attemptOn(connection) != NO_ATTEMPT;
    }

    /**
     * {@return whether an attempt is under way on a connection} Both may be on the same one. The
     * owner.
     */
    boolean isOn(int attempt, ClientSocket connection) {
        if (attempt == otherAttempt) {
            return otherSocket == connection;
        }
        return attempt == CallId.attempt(id()) && !hasLatestFailed && socket == connection;
    }

    /** Final: other threads give up from now on instead of waiting. The owner. */
    void end() {
        STATE.setRelease(this, word(id(), ENDING));
    }

    /** Drops everything; ids of this call find nothing from now on. The owner. */
    void free() {
        settings = null;
        controller = null;
        request = null;
        responsePrototype = null;
        done = null;
        names = null;
        credentials = null;
        streamSettings = null;
        target = null;
        otherTarget = null;
        context.clear();
        isBackupPlanned = false;
        isRetryPlanned = false;
        isTcpForced = false;
        socket = null;
        otherSocket = null;
        otherAttempt = NO_ATTEMPT;
        hasLatestFailed = false;
        tried.clear();
        history.setLength(0);
        STATE.setRelease(this, word(CallId.nextCall(id()), FREE));
    }
}
