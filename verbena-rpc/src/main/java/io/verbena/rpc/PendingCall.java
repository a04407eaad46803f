// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.Message;
import com.google.protobuf.RpcCallback;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;

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
 * <p>Threads: whoever brings the state to MOVING or ENDING owns all fields until it publishes or
 * frees the call. MOVING is short: its owner neither blocks nor calls the user, so others may wait
 * for it by spinning. ENDING is final: other threads give up.
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
    private static final long PAUSE_NS = 20_000;
    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(PendingCall.class, "state", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** No call: free for ever, so that nobody can claim it. */
    static final PendingCall NONE = new PendingCall(0);

    /** Place of the next free call, plus one. For the table. */
    int nextFree;

    CallSettings settings;
    ClientController controller;
    Message request;
    Message responsePrototype;
    RpcCallback<Message> done;
    byte[] names;
    long startNs;
    long deadlineNs;
    int retriesLeft;

    /** The server of the latest try. */
    Target target;

    /** The connection of the latest try. */
    ClientSocket socket;

    /** The connection of the try before, if both are under way: one of them is a backup. */
    ClientSocket otherSocket;

    /** Whether the latest try is no longer under way, and the one before is. */
    boolean hasLatestFailed;

    /** Servers that were tried. */
    final TriedServers tried = new TriedServers();

    /** Errors of tries that were followed by another. */
    final StringBuilder history = new StringBuilder();

    boolean isBackupPlanned;

    /** Whether RDMA has failed, so that further tries go over TCP. */
    boolean isTcpForced;

    /**
     * When the timer looks at the call. Published with the state; a timer that reads an older value
     * only looks once more than needed.
     */
    private long wakeNs;

    /** Attempt that is under way beside the latest. */
    private int otherAttempt = NO_ATTEMPT;

    private volatile long state;

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

    /** The free call is somebody's now: it owns the fields. */
    void begin() {
        STATE.setRelease(this, word(id(), MOVING));
    }

    /** Begins another try. The owner. */
    void nextAttempt() {
        otherAttempt = NO_ATTEMPT;
        otherSocket = null;
        socket = null;
        hasLatestFailed = false;
        STATE.setRelease(this, word(CallId.nextAttempt(id()), MOVING));
    }

    /** Begins another try while the one before is still under way. The owner. */
    void nextAttemptBeside() {
        otherAttempt = CallId.attempt(id());
        otherSocket = socket;
        socket = null;
        STATE.setRelease(this, word(CallId.nextAttempt(id()), MOVING));
    }

    /** One of two tries is out; the other goes on. The owner. */
    void drop(int attempt) {
        if (attempt == otherAttempt) {
            otherAttempt = NO_ATTEMPT;
            otherSocket = null;
        } else {
            hasLatestFailed = true;
        }
    }

    /** Gives the fields up: from now on answer, timer, failure and cancel may claim the call. */
    void publish() {
        state = word(id(), WAITING);
    }

    /**
     * {@return whether the caller owns the call now, in MOVING} Waits if another owner is about to
     * publish it.
     *
     * @param id of a try; if that is not under way any more, the call is left alone
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
     * @param id of any try of the call, under way or not
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

    /** {@return whether the caller owns the call now, which was in this state} Does not wait. */
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
     * {@return whether a try may be on a connection} Without owning the call: a hint, to be checked
     * again by the owner.
     */
    boolean mayBeOn(ClientSocket connection) {
        return socket == connection || otherSocket == connection;
    }

    /** {@return the attempt that is under way on a connection, or -1} The owner. */
    int attemptOn(ClientSocket connection) {
        if (socket == connection && !hasLatestFailed) {
            return CallId.attempt(id());
        }
        return otherSocket == connection ? otherAttempt : NO_ATTEMPT;
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
        target = null;
        isBackupPlanned = false;
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
