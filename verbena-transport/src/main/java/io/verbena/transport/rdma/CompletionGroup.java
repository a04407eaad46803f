// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import io.verbena.completion.Faults;
import io.verbena.verbs.CompletionChannel;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CompletionQueue.Notification;
import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.WorkCompletion;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A send and a receive completion queue that many queue pairs share, deep enough that they cannot
 * overflow, and the slots of those queue pairs.
 *
 * <p>Threads: slots are claimed by any thread, under {@code lock}; everything else is done by the
 * dispatcher. A slot that was given back is not claimed again until both queues have been found
 * empty: after that no completion of its last owner can arrive.
 */
final class CompletionGroup {
    /** How many events are acknowledged at once, because libibverbs takes a lock to do so. */
    private static final int ACKNOWLEDGE_AT = 128;

    private final CompletionQueue sends;
    private final CompletionQueue receives;
    private final AtomicReferenceArray<CompletionTarget> targets;
    private final ReentrantLock lock = new ReentrantLock();

    /** Like the next one with room for all slots: giving one back takes no memory. */
    private final ArrayDeque<QueuePairSlot> free;

    private final List<QueuePairSlot> cooling;
    private final CompletionTarget[] touched;
    private int claimed;
    private int sendEvents;
    private int receiveEvents;
    private boolean isBroken;

    /** Why it is broken, until its connections have been told; or null. Dispatcher. */
    private Throwable breakage;

    /** Whether a connection could not be ended, for want of memory. Dispatcher. */
    private boolean isAnyUntold;

    /**
     * Creates a group without queue pairs.
     *
     * @param context the device
     * @param channel where its events go
     * @param vector which completion vector serves it
     * @param slots for how many queue pairs
     * @param sizes the depths of each queue pair
     * @param pollOnce the most completions of one poll
     */
    CompletionGroup(
            DeviceContext context,
            CompletionChannel channel,
            int vector,
            int slots,
            QueueSizes sizes,
            int pollOnce) {
        this.targets = new AtomicReferenceArray<>(slots);
        this.free = new ArrayDeque<>(slots);
        this.cooling = new ArrayList<>(slots);
        this.touched = new CompletionTarget[pollOnce];
        for (int i = 0; i < slots; i++) {
            free.add(new QueuePairSlot(this, i));
        }
        this.sends = context.createCompletionQueue(slots * sizes.send(), channel, vector);
        this.receives = createReceives(context, channel, vector, slots * sizes.receive());
    }

    private CompletionQueue createReceives(
            DeviceContext context, CompletionChannel channel, int vector, int depth) {
        try {
            return context.createCompletionQueue(depth, channel, vector);
        } catch (Throwable e) {
            sends.close();
            throw e;
        }
    }

    /** {@return the most completions that can wait in either queue} */
    int depth() {
        return Math.max(sends.depth(), receives.depth());
    }

    CompletionQueue sends() {
        return sends;
    }

    CompletionQueue receives() {
        return receives;
    }

    /** {@return a slot for a new connection, one with a parked queue pair if there is one} */
    Optional<QueuePairSlot> tryClaim() {
        lock.lock();
        try {
            if (isBroken || free.isEmpty()) {
                return Optional.empty();
            }
            QueuePairSlot slot = free.pop();
            slot.nextGeneration();
            claimed++;
            return slot.claimed();
        } finally {
            lock.unlock();
        }
    }

    /** Gives back a slot that was claimed and never used. Any thread. */
    void unclaim(QueuePairSlot slot) {
        lock.lock();
        try {
            claimed--;
            putFree(slot);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Delivers the completions of a slot to a target from now on. Any thread, before the target's
     * first request.
     */
    void occupy(QueuePairSlot slot, CompletionTarget target) {
        // publishes the target and everything in it to the dispatcher
        targets.setRelease(slot.index(), target);
    }

    /** Ends one use of a slot. Its queue pair is in RESET or closed. Dispatcher. */
    void vacate(QueuePairSlot slot) {
        targets.setRelease(slot.index(), null);
        cooling.add(slot);
    }

    /** {@return how many slots were claimed and are not free again yet} */
    int claimed() {
        lock.lock();
        try {
            return claimed;
        } finally {
            lock.unlock();
        }
    }

    /** {@return the slots that hold a parked queue pair and are free} For closing. */
    List<QueuePairSlot> freeSlots() {
        lock.lock();
        try {
            return List.copyOf(free);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Polls one batch from each queue and delivers it; {@return how many completions there were}
     */
    int poll(WorkCompletion cursor) {
        if (isBroken) {
            tellQueueFailure();
            return 0;
        }
        try {
            endUntold();
            int received = pollReceives(cursor);
            int sent = pollSends(cursor);
            if (received + sent == 0 && !cooling.isEmpty()) {
                releaseCooled();
            }
            return received + sent;
        } catch (Throwable e) { // a provider may throw anything; other groups must not suffer
            breakDown(e);
            return 1;
        }
    }

    private int pollReceives(WorkCompletion cursor) {
        int count = receives.poll(cursor);
        int touchedCount = 0;
        for (int i = 0; i < count; i++) {
            CompletionTarget target = targetOf(cursor.at(i));
            if (target != null) {
                tellReceive(target, cursor);
                touchedCount = touch(target, touchedCount);
            }
        }
        endBatch(touchedCount);
        return count;
    }

    private int pollSends(WorkCompletion cursor) {
        int count = sends.poll(cursor);
        int touchedCount = 0;
        for (int i = 0; i < count; i++) {
            CompletionTarget target = targetOf(cursor.at(i));
            if (target != null) {
                tellSend(target, cursor);
                touchedCount = touch(target, touchedCount);
            }
        }
        endBatch(touchedCount);
        return count;
    }

    /** What was missing may be there now. */
    private void endUntold() {
        if (isAnyUntold) {
            isAnyUntold = false;
            for (int i = 0; i < targets.length(); i++) {
                CompletionTarget target = targets.getAcquire(i);
                if (target != null) {
                    tellEnd(target);
                }
            }
        }
    }

    /** {@return whether a failure is to be tried to be told again, without any completion} */
    boolean isTelling() {
        return breakage != null || isAnyUntold;
    }

    private void tellReceive(CompletionTarget target, WorkCompletion completion) {
        try {
            target.onReceive(completion);
        } catch (Throwable e) { // even an undeclared one: other targets must not suffer
            tellFault(target, e);
        }
    }

    private void tellSend(CompletionTarget target, WorkCompletion completion) {
        try {
            target.onSend(completion);
        } catch (Throwable e) { // even an undeclared one: other targets must not suffer
            tellFault(target, e);
        }
    }

    private void tellEnd(CompletionTarget target) {
        try {
            target.onBatchEnd();
        } catch (Throwable e) { // even an undeclared one: other targets must not suffer
            tellFault(target, e);
        }
    }

    private void tellFault(CompletionTarget target, Throwable fault) {
        try {
            target.onFault(fault);
        } catch (OutOfMemoryError e) {
            // the target has kept the fault
            isAnyUntold = true;
        } catch (Throwable e) { // not the queue's failure: it stays in use
            Faults.warn(CompletionGroup.class, "a connection could not be ended", target, e);
        }
    }

    /** {@return the target of a completion, or null if it is gone} */
    private CompletionTarget targetOf(WorkCompletion completion) {
        long id = completion.id();
        int slot = WorkRequestId.slot(id);
        if (slot >= targets.length()) {
            return null;
        }
        CompletionTarget target = targets.getAcquire(slot);
        return target != null && target.generation() == WorkRequestId.generation(id)
                ? target
                : null;
    }

    private int touch(CompletionTarget target, int count) {
        if (count > 0 && touched[count - 1].equals(target)) {
            return count;
        }
        touched[count] = target;
        return count + 1;
    }

    private void endBatch(int count) {
        for (int i = 0; i < count; i++) {
            CompletionTarget target = touched[i];
            touched[i] = null;
            tellEnd(target);
        }
    }

    private void releaseCooled() {
        lock.lock();
        try {
            // without an iterator, which takes memory
            for (int i = 0; i < cooling.size(); i++) {
                claimed--;
                putFree(cooling.get(i));
            }
        } finally {
            lock.unlock();
        }
        cooling.clear();
    }

    private void putFree(QueuePairSlot slot) {
        if (slot.hasParked()) {
            free.addFirst(slot);
        } else {
            free.addLast(slot);
        }
    }

    /** Asks for an event: any send completion, solicited receives and failures. Dispatcher. */
    void arm() {
        if (isBroken) {
            return;
        }
        try {
            sends.requestNotification(Notification.ANY);
            receives.requestNotification(Notification.SOLICITED);
        } catch (Throwable e) { // a provider may throw anything; other groups must not suffer
            breakDown(e);
        }
    }

    private void breakDown(Throwable cause) {
        breakage = cause;
        lock.lock();
        try {
            isBroken = true;
        } finally {
            lock.unlock();
        }
        try {
            Faults.warn(
                    CompletionGroup.class,
                    "a completion queue failed, and its connections with it",
                    claimed(),
                    cause);
        } finally {
            tellQueueFailure();
        }
    }

    private void tellQueueFailure() {
        Throwable cause = breakage;
        if (cause == null) {
            return;
        }
        boolean isTold = true;
        // without a list: there may be no memory for one
        for (int i = 0; i < targets.length(); i++) {
            CompletionTarget target = targets.getAcquire(i);
            if (target != null) {
                isTold &= tryTellQueueFailure(target, cause);
            }
        }
        if (isTold) {
            breakage = null;
        }
    }

    /** {@return false if there was no memory for that} */
    private static boolean tryTellQueueFailure(CompletionTarget target, Throwable cause) {
        try {
            target.onQueueFailure(cause);
            return true;
        } catch (OutOfMemoryError e) {
            return false;
        } catch (Throwable e) { // the other targets must learn of it, too
            Faults.warn(CompletionGroup.class, "a connection could not be ended", target, e);
            return true;
        }
    }

    /** {@return whether a queue failed, so that no slot is claimed again} Dispatcher. */
    boolean isBroken() {
        return isBroken;
    }

    /**
     * {@return whether the event belongs to this group} If so, it is acknowledged, sooner or later.
     */
    boolean tryCountEvent(CompletionQueue queue) {
        if (queue.equals(receives)) {
            receiveEvents = countEvent(receives, receiveEvents);
            return true;
        }
        if (queue.equals(sends)) {
            sendEvents = countEvent(sends, sendEvents);
            return true;
        }
        return false;
    }

    private static int countEvent(CompletionQueue queue, int before) {
        int events = before + 1;
        if (events < ACKNOWLEDGE_AT) {
            return events;
        }
        queue.acknowledgeEvents(events);
        return 0;
    }

    /** {@return whether every slot is free} In a broken group slots need no cooling. */
    boolean isIdle() {
        if (isBroken && !cooling.isEmpty()) {
            releaseCooled();
        }
        return claimed() == 0;
    }

    /** Closes the queues; their queue pairs are closed already. */
    void close() {
        receives.acknowledgeEvents(receiveEvents);
        sends.acknowledgeEvents(sendEvents);
        receiveEvents = 0;
        sendEvents = 0;
        receives.close();
        sends.close();
    }
}
