// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.ibv;

import io.verbena.verbs.SendWorkRequest;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.ReentrantLock;

/**
 * How many more requests a send queue takes. A place is free again once the completion of its
 * request, or of a later one, has been polled. Adapters already behave that way; soft-RoCE frees a
 * place as soon as its request is done, and a user who relies on that overruns the completion
 * queue.
 *
 * <p>Requests are numbered in the order they are posted. Completions of one send queue come in that
 * order too, so a success stands for the next signaled request and everything before it. Pollers
 * only count; when the posting thread needs room, it walks over as many signaled requests as were
 * counted. Until all pollers have counted, there seems to be less room than there is.
 *
 * <p>After a failure every request completes, signaled or not, so each failure frees at least one
 * place. The first failure may also free unsignaled requests before it: they are found by its id. A
 * failure does not say whether it was a send or a receive; if both complete on one queue and share
 * ids, failed receives count as sends, and a queue pair in ERROR seems to have more room than it
 * has.
 *
 * <p>One thread posts, any number poll. Ordering: pollers count with release, the posting thread
 * reads with acquire, so what the driver did in the poll comes before the post into the free place.
 * {@code posted} is stored with release before the driver gets the requests; a poller that finds a
 * failure reads it with acquire and finds their ids.
 */
final class SendRoom {
    private static final long NONE = -1;
    private static final VarHandle POSTED;
    private static final VarHandle FREED;
    private static final VarHandle SUCCEEDED;
    private static final VarHandle FAILED;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            POSTED = lookup.findVarHandle(SendRoom.class, "posted", long.class);
            FREED = lookup.findVarHandle(SendRoom.class, "freed", long.class);
            SUCCEEDED = lookup.findVarHandle(SendRoom.class, "succeeded", long.class);
            FAILED = lookup.findVarHandle(SendRoom.class, "failed", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final int number;
    private final int capacity;
    private final boolean isSignalingAll;
    private final int mask;
    private final long[] ids;
    private final boolean[] signaled;

    // Written by the posting thread.
    private long posted;
    private long freed;
    private long walked;
    private long endOfSuccess = NONE;

    @SuppressWarnings("unused") // accessed through SUCCEEDED
    private long succeeded;

    // Changed under the lock; failed is stored last and publishes failedBelow.
    private final ReentrantLock failing = new ReentrantLock();
    private long failedBelow;
    private long failed;

    /**
     * An empty send queue.
     *
     * @param number the queue pair's number, as in completions
     * @param isSignalingAll whether requests not marked as signaled complete too
     */
    SendRoom(int number, int capacity, boolean isSignalingAll) {
        this.number = number;
        this.capacity = capacity;
        this.isSignalingAll = isSignalingAll;
        int slots = Integer.highestOneBit(Math.max(2, capacity) * 2 - 1);
        this.mask = slots - 1;
        this.ids = new long[slots];
        this.signaled = new boolean[slots];
    }

    int number() {
        return number;
    }

    /**
     * {@return whether there is room for one more request} Posting thread only.
     *
     * @param ahead how many are noted and not taken yet
     */
    boolean isFree(int ahead) {
        return posted + ahead - freed < capacity || isFreeSlowPath(ahead);
    }

    private boolean isFreeSlowPath(int ahead) {
        reclaim();
        return posted + ahead - freed < capacity;
    }

    /**
     * Notes a request that there is room for. Posting thread only.
     *
     * @param ahead how many are noted and not taken yet
     */
    void note(int ahead, SendWorkRequest request) {
        int slot = (int) (posted + ahead) & mask;
        ids[slot] = request.id();
        signaled[slot] = isSignalingAll || (request.flags() & SendWorkRequest.SIGNALED) != 0;
    }

    /** Takes the room for the noted requests; called before the driver gets them. */
    void take(int count) {
        POSTED.setRelease(this, posted + count);
    }

    /** Gives back the room of the last requests: the driver has refused them. */
    void giveBack(int count) {
        POSTED.setRelease(this, posted - count);
    }

    private void reclaim() {
        // Read before the successes: those that came before a failure are counted by then.
        long failures = (long) FAILED.getAcquire(this);
        if (endOfSuccess == NONE) {
            walkSuccesses();
            endOfSuccess = failures > 0 ? freed : NONE;
        }
        if (failures > 0) {
            FREED.setOpaque(this, Math.min(posted, Math.max(endOfSuccess + failures, failedBelow)));
        }
    }

    private void walkSuccesses() {
        long successes = (long) SUCCEEDED.getAcquire(this);
        long end = freed;
        while (walked < successes && end < posted) {
            walked += signaled[(int) end & mask] ? 1 : 0;
            end++;
        }
        // A driver that reports more than was posted must not make room in advance.
        walked = successes;
        FREED.setOpaque(this, end);
    }

    /** Counts requests that completed successfully; any poller. */
    void onSuccess(int count) {
        SUCCEEDED.getAndAddRelease(this, count);
    }

    /**
     * Counts a request that failed or was flushed; any poller. Not on the hot path: the queue pair
     * is in ERROR.
     *
     * @param id the completion's id; if it is a receive's, nothing is found
     */
    void onFailure(long id) {
        failing.lock();
        try {
            long end = (long) POSTED.getAcquire(this);
            // A start that is too low does no harm: it only makes less room.
            long start = Math.max((long) FREED.getOpaque(this), failedBelow);
            for (long at = start; at < end; at++) {
                if (ids[(int) at & mask] == id) {
                    failedBelow = at + 1;
                    FAILED.setRelease(this, failed + 1);
                    return;
                }
            }
        } finally {
            failing.unlock();
        }
    }

    /** Forgets all requests; the queue pair is in RESET, where nobody may post. */
    void reset() {
        failing.lock();
        try {
            FREED.setOpaque(this, posted);
            walked = (long) SUCCEEDED.getAcquire(this);
            endOfSuccess = NONE;
            failedBelow = 0;
            FAILED.setRelease(this, 0L);
        } finally {
            failing.unlock();
        }
    }
}
