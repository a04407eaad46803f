// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import io.verbena.verbs.AsyncEvent;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.Errno;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.WorkCompletion;
import io.verbena.verbs.spi.CompletionOverflow;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.BitSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A completion queue of the software device. Polling it makes the progress of its queue pairs.
 *
 * <p>Which queue pairs a poll looks at: a few <em>hot</em> ones, whose peers therefore ring no
 * bell, and those whose bell was rung. While the application polls, the queue is <em>polled</em>
 * and the background thread leaves it alone; when the application stops (or asks for an event) the
 * queue is handed over: no queue pair is hot, every peer rings, and the background thread answers.
 *
 * <p>Threads: {@code sweep} is a flag that one thread at a time holds to take bells and to change
 * who is hot; pollers that do not get it skip that work. Members change under {@code membership}.
 */
final class SoftCompletionQueue implements CompletionQueue {
    private static final int MAX_HOT = 4;
    private static final int POLLS_TO_OWN = 64;
    private static final int POLLS_TO_COOL = 10_000;
    private static final QueuePairEngine[] NOBODY = {};
    private static final VarHandle SWEEP;
    private static final VarHandle OVERFLOWED;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            SWEEP = lookup.findVarHandle(SoftCompletionQueue.class, "sweep", int.class);
            OVERFLOWED =
                    lookup.findVarHandle(SoftCompletionQueue.class, "isOverflowed", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final SoftDeviceContext context;
    private final SoftDevice device;
    private final Bells bells;
    private final SoftCompletionChannel channel;
    private final int depth;
    private final long area;
    private final CompletionRing ring;
    private final AtomicInteger unacknowledged = new AtomicInteger();
    private final ReentrantLock membership = new ReentrantLock();
    private final BitSet indices = new BitSet();
    private volatile QueuePairEngine[] members = NOBODY;
    private volatile QueuePairEngine[] hot = NOBODY;
    private long[] hotSince = {};
    private final Arm arm = new Arm();

    @SuppressWarnings("unused") // accessed through SWEEP
    private volatile int sweep;

    private volatile boolean isPolled;
    private volatile boolean isOverflowed;
    private volatile boolean isClosed;
    private long polls;
    private long pollsWhenChecked;
    private int pollsSinceArmed;

    SoftCompletionQueue(
            SoftDeviceContext context, int depth, SoftCompletionChannel channel, long area) {
        this.context = context;
        this.device = context.softDevice();
        this.bells = device.bells();
        this.channel = channel;
        this.depth = depth;
        this.area = area;
        this.ring = new CompletionRing(depth);
    }

    @Override
    public int depth() {
        checkOpen();
        return depth;
    }

    @Override
    public int poll(WorkCompletion completions) {
        if (isClosed || isOverflowed) {
            throw unusable();
        }
        polls++;
        // what is there first: executing more requests than the caller has looked at would use up
        // receives it has had no chance to post again
        int taken = ring.take(completions);
        if (taken > 0) {
            return taken;
        }
        progress();
        return ring.take(completions);
    }

    private void progress() {
        boolean isEager = !isPolled;
        for (QueuePairEngine pair : hot) {
            if (pair.looksReady()) {
                pair.run(isEager);
            }
        }
        if (isAnyMarked()) {
            trySweep();
        }
        if (isEager && ++pollsSinceArmed >= POLLS_TO_OWN) {
            own();
        }
    }

    private boolean isAnyMarked() {
        int words = members.length + 4095 >>> 12;
        for (int word = 0; word < words; word++) {
            if (bells.summaryOpaque(area, word) != 0) {
                return true;
            }
        }
        return false;
    }

    private void trySweep() {
        if (SWEEP.compareAndSet(this, 0, 1)) {
            try {
                sweepMarked();
            } finally {
                SWEEP.setRelease(this, 0);
            }
        }
    }

    private void enterSweep() {
        for (int tries = 0; !SWEEP.compareAndSet(this, 0, 1); tries++) {
            Backoff.pause(tries);
        }
    }

    private int sweepMarked() {
        int ran = 0;
        for (int word = 0; word < ControlLayout.SUMMARY_WORDS; word++) {
            if (bells.summaryOpaque(area, word) == 0) {
                continue;
            }
            long summary = bells.takeSummary(area, word);
            for (; summary != 0; summary &= summary - 1) {
                int leaf = (word << 6) + Long.numberOfTrailingZeros(summary);
                ran += sweepLeaf(leaf);
            }
        }
        return ran;
    }

    private int sweepLeaf(int leaf) {
        int ran = 0;
        long taken = bells.takeLeaf(area, leaf);
        // after the bells, so that everyone who could have rung is in it
        QueuePairEngine[] all = members;
        for (long bits = taken; bits != 0; bits &= bits - 1) {
            int index = (leaf << 6) + Long.numberOfTrailingZeros(bits);
            QueuePairEngine pair = index < all.length ? all[index] : null;
            if (pair != null) {
                pair.run(!isPolled);
                ran++;
                if (isPolled) {
                    heat(pair);
                }
            }
        }
        return ran;
    }

    /** Lets pollers look at a queue pair directly, so that its peer need not ring. */
    private void heat(QueuePairEngine pair) {
        if (isHot(pair)) {
            return;
        }
        QueuePairEngine[] now = hot;
        int place = now.length < MAX_HOT ? now.length : coldest(now);
        if (place < 0) {
            return;
        }
        QueuePairEngine[] changed = Arrays.copyOf(now, Math.max(now.length, place + 1));
        QueuePairEngine cooled = changed[place];
        changed[place] = pair;
        hotSince = Arrays.copyOf(hotSince, changed.length);
        hotSince[place] = polls;
        hot = changed;
        if (cooled != null) {
            cool(cooled);
        }
        pair.attention(this, true);
    }

    /** {@return which hot queue pair has had nothing to do for long, or -1} */
    private int coldest(QueuePairEngine[] now) {
        for (int i = 0; i < now.length; i++) {
            long since = Math.max(hotSince[i], now[i].lastActive());
            if (polls - since > POLLS_TO_COOL) {
                return i;
            }
        }
        return -1;
    }

    private void cool(QueuePairEngine... pairs) {
        for (QueuePairEngine pair : pairs) {
            pair.attention(this, false);
        }
        // a peer that still saw "hot" has its frame visible after this, and the run below finds it
        Fences.afterAnnounce();
        for (QueuePairEngine pair : pairs) {
            pair.run(true);
        }
    }

    boolean isHot(QueuePairEngine pair) {
        for (QueuePairEngine candidate : hot) {
            if (candidate == pair) {
                return true;
            }
        }
        return false;
    }

    long polls() {
        return polls;
    }

    private void own() {
        enterSweep();
        try {
            isPolled = true;
            pollsWhenChecked = polls;
            bells.polledVolatile(area, true);
        } finally {
            SWEEP.setRelease(this, 0);
        }
        device.background().watchPollers();
    }

    /** Hands the queue over to the background thread. */
    private void disown() {
        enterSweep();
        try {
            if (!isPolled) {
                return;
            }
            isPolled = false;
            pollsSinceArmed = 0;
            QueuePairEngine[] cooled = hot;
            hot = NOBODY;
            bells.polledVolatile(area, false);
            cool(cooled);
            sweepMarked();
        } finally {
            SWEEP.setRelease(this, 0);
        }
    }

    /** {@return whether the application polls by itself and is to be watched} */
    boolean isPolled() {
        return isPolled;
    }

    /** Background thread: takes the queue over if nobody has polled it since the last check. */
    boolean checkPoller() {
        if (!isPolled) {
            return false;
        }
        long now = polls;
        if (now == pollsWhenChecked) {
            disown();
            return false;
        }
        pollsWhenChecked = now;
        return true;
    }

    /** Background thread: makes the progress nobody else makes; {@return whether there was any} */
    boolean runInBackground() {
        if (isPolled || !isAnyMarked() || !SWEEP.compareAndSet(this, 0, 1)) {
            return false;
        }
        try {
            return sweepMarked() > 0;
        } finally {
            SWEEP.setRelease(this, 0);
        }
    }

    /** Background thread: {@return whether there is work it should do before it sleeps} */
    boolean needsBackground() {
        return !isPolled && isAnyMarked();
    }

    /** Adds a completion; called inside a queue pair's turn. */
    void push(
            QueuePairEngine pair,
            long id,
            int kind,
            int length,
            int immediate,
            long index,
            boolean isSolicited) {
        if (!ring.offer(pair, id, kind, length, immediate, index)) {
            overflow();
            return;
        }
        boolean isFailure = (kind & 0xFF) != 0;
        if (channel != null && arm.fire(isSolicited || isFailure)) {
            channel.post(this);
        }
    }

    private void overflow() {
        if (OVERFLOWED.compareAndSet(this, false, true)) {
            context.report(AsyncEvent.of(AsyncEventType.CQ_ERROR, this));
            device.background().submit(this::failMembers);
        }
    }

    private void failMembers() {
        for (QueuePairEngine pair : members) {
            if (pair != null) {
                pair.failOverflowed();
            }
        }
    }

    @Override
    public void requestNotification(Notification notification) {
        checkOpen();
        if (channel == null) {
            throw new VerbsException(
                    "ibv_req_notify_cq",
                    Errno.EINVAL,
                    "completion queue without a channel (expected: one made with a channel)");
        }
        if (isPolled) {
            disown();
        }
        pollsSinceArmed = 0;
        if (notification == Notification.ANY) {
            arm.any();
        } else {
            arm.solicited();
        }
    }

    @Override
    public void acknowledgeEvents(int count) {
        checkOpen();
        int waiting = unacknowledged.get();
        if (count < 0 || count > waiting) {
            throw new IllegalArgumentException(
                    "count: " + count + " (expected: 0.." + waiting + ")");
        }
        unacknowledged.addAndGet(-count);
    }

    void eventTaken() {
        unacknowledged.incrementAndGet();
    }

    long area() {
        return area;
    }

    boolean isOf(SoftDeviceContext owner) {
        return context == owner && !isClosed;
    }

    /** Adds a queue pair; {@return the number of its bell} */
    int join(QueuePairEngine pair) {
        membership.lock();
        try {
            checkOpen();
            int index = indices.nextClearBit(0);
            if (index >= ControlLayout.MAX_INDEX) {
                throw new VerbsException(
                        "ibv_create_qp",
                        Errno.ENOMEM,
                        "queue pairs of one completion queue: "
                                + (index + 1)
                                + " (expected: at most "
                                + ControlLayout.MAX_INDEX
                                + ")");
            }
            indices.set(index);
            QueuePairEngine[] changed =
                    Arrays.copyOf(members, Math.max(members.length, roundUp(index + 1)));
            changed[index] = pair;
            members = changed;
            return index;
        } finally {
            membership.unlock();
        }
    }

    private static int roundUp(int count) {
        return count + 63 & ~63;
    }

    /** Removes a queue pair. */
    void leave(QueuePairEngine pair, int index) {
        enterSweep();
        try {
            if (isHot(pair)) {
                hot =
                        Arrays.stream(hot)
                                .filter(other -> other != pair)
                                .toArray(QueuePairEngine[]::new);
                hotSince = new long[hot.length];
                Arrays.fill(hotSince, polls);
            }
        } finally {
            SWEEP.setRelease(this, 0);
        }
        membership.lock();
        try {
            QueuePairEngine[] changed = members.clone();
            changed[index] = null;
            members = changed;
            indices.clear(index);
        } finally {
            membership.unlock();
        }
    }

    @Override
    public void close() {
        membership.lock();
        try {
            if (isClosed) {
                return;
            }
            if (!indices.isEmpty()) {
                throw new VerbsException(
                        "ibv_destroy_cq",
                        Errno.EBUSY,
                        indices.cardinality() + " queue pairs still use the completion queue");
            }
            isClosed = true;
        } finally {
            membership.unlock();
        }
        if (channel != null) {
            channel.forget(this);
        }
        context.forget(this);
        device.forget(this);
    }

    private void checkOpen() {
        if (isClosed) {
            throw new IllegalStateException("completion queue is closed");
        }
    }

    private RuntimeException unusable() {
        return isClosed
                ? new IllegalStateException("completion queue is closed")
                : CompletionOverflow.failure(depth);
    }

    @Override
    public String toString() {
        return "completion queue of " + depth;
    }
}
