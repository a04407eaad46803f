// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The calls of a process that are under way. Places are reused and never freed, so a steady load
 * neither allocates nor locks.
 *
 * <p>Free places are a stack of numbers; the upper half of its head counts changes, so a thread
 * that was suspended cannot mistake a new head for an old one with the same place (the ABA
 * problem).
 */
final class CallTable {
    private static final int CHUNK_BITS = 8;
    private static final int CHUNK = 1 << CHUNK_BITS;
    private static final int MAX_CHUNKS = CallId.MAX_PLACES / CHUNK;
    private static final long INDEX_MASK = 0xffff_ffffL;
    private static final long CHANGE = 1L << 32;
    private static final VarHandle HEAD;

    static {
        try {
            HEAD = MethodHandles.lookup().findVarHandle(CallTable.class, "head", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final ReentrantLock growing = new ReentrantLock();
    private volatile PendingCall[][] chunks = {};

    @SuppressWarnings("unused") // accessed through HEAD
    private volatile long head;

    /**
     * {@return a call that the caller owns, in MOVING, or {@link PendingCall#NONE} if there are too
     * many}
     */
    PendingCall take() {
        while (true) {
            long seen = head;
            int place = (int) (seen & INDEX_MASK) - 1;
            if (place < 0) {
                if (!tryGrow()) {
                    return PendingCall.NONE;
                }
                continue;
            }
            PendingCall call = at(place);
            // may be stale, but then the head has changed and the exchange fails
            long next = (seen & ~INDEX_MASK) + CHANGE | call.nextFree;
            if (HEAD.compareAndSet(this, seen, next)) {
                call.begin();
                return call;
            }
        }
    }

    /** Takes a call back that its owner has freed. */
    void giveBack(PendingCall call) {
        int place = CallId.place(call.id());
        while (true) {
            long seen = head;
            call.nextFree = (int) (seen & INDEX_MASK);
            if (HEAD.compareAndSet(this, seen, (seen & ~INDEX_MASK) + CHANGE | place + 1)) {
                return;
            }
        }
    }

    /** {@return the call now at the place that an id names; NONE if there is no such place} */
    PendingCall find(long id) {
        int place = CallId.place(id);
        return place < capacity() ? at(place) : PendingCall.NONE;
    }

    int capacity() {
        return chunks.length << CHUNK_BITS;
    }

    PendingCall at(int place) {
        return chunks[place >>> CHUNK_BITS][place & CHUNK - 1];
    }

    /** {@return how many calls are under way; an estimate, because places are read one by one} */
    int underWay() {
        int count = 0;
        for (int place = 0; place < capacity(); place++) {
            if (PendingCall.phase(at(place).stateWord()) != PendingCall.FREE) {
                count++;
            }
        }
        return count;
    }

    /**
     * {@return whether a call may be on a connection to a server} Also true while the owner of any
     * call runs foreign code that takes its time: it may be about to choose a connection.
     */
    boolean isCalling(RemoteServer server) {
        for (int place = 0; place < capacity(); place++) {
            if (mayBeAt(server, at(place))) {
                return true;
            }
        }
        return false;
    }

    private static boolean mayBeAt(RemoteServer server, PendingCall call) {
        while (true) {
            long seen = call.stateWord();
            switch (PendingCall.phase(seen)) {
                case PendingCall.WAITING -> {
                    return call.mayBeAt(server);
                }
                case PendingCall.MOVING -> {
                    if (call.isHeld(PendingCall.id(seen))) {
                        return true;
                    }
                }
                default -> {
                    return false;
                }
            }
        }
    }

    private boolean tryGrow() {
        growing.lock();
        try {
            if ((head & INDEX_MASK) != 0) {
                return true;
            }
            int count = chunks.length;
            if (count == MAX_CHUNKS) {
                return false;
            }
            PendingCall[] chunk = new PendingCall[CHUNK];
            for (int i = 0; i < CHUNK; i++) {
                chunk[i] = new PendingCall((count << CHUNK_BITS) + i);
            }
            PendingCall[][] more = Arrays.copyOf(chunks, count + 1);
            more[count] = chunk;
            chunks = more;
            for (int i = CHUNK - 1; i >= 0; i--) {
                giveBack(chunk[i]);
            }
            return true;
        } finally {
            growing.unlock();
        }
    }
}
