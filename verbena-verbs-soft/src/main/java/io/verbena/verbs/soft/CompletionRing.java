// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import io.verbena.verbs.WorkCompletion;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The bounded queue of completions behind a completion queue: several producers (the turns of queue
 * pairs), several consumers (polling threads), no lock.
 *
 * <p>The well-known array queue with a sequence number per slot: a slot is free for the producer at
 * position p while its sequence is p, and ready for the consumer at p while it is p + 1. A producer
 * fails if the ring already holds as many completions as the depth allows.
 */
final class CompletionRing {
    private static final int WORDS = 4;
    private static final int ID = 0;
    private static final int KIND_LENGTH = 1;
    private static final int IMMEDIATE_GENERATION = 2;
    private static final int SEND_INDEX = 3;
    private static final long LOW = 0xFFFF_FFFFL;
    private static final VarHandle SEQUENCE = MethodHandles.arrayElementVarHandle(long[].class);
    private static final VarHandle HEAD;
    private static final VarHandle TAIL;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            HEAD = lookup.findVarHandle(CompletionRing.class, "head", long.class);
            TAIL = lookup.findVarHandle(CompletionRing.class, "tail", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final int depth;
    private final int mask;
    private final long[] sequences;
    private final CompletionOwner[] pairs;
    private final long[] entries;
    private volatile long head;
    private volatile long tail;

    CompletionRing(int depth) {
        int capacity = Integer.highestOneBit(Math.max(2, depth) * 2 - 1);
        this.depth = depth;
        this.mask = capacity - 1;
        this.sequences = new long[capacity];
        this.pairs = new CompletionOwner[capacity];
        this.entries = new long[capacity * WORDS];
        for (int i = 0; i < capacity; i++) {
            sequences[i] = i;
        }
    }

    /**
     * Adds a completion.
     *
     * @param kind status, opcode and flags packed by {@link #kind}
     * @param index the request's index in the send queue, or -1 if it is no send request
     * @return false if there are as many as the depth allows
     */
    boolean offer(CompletionOwner pair, long id, int kind, int length, int immediate, long index) {
        while (true) {
            long position = tail;
            if (position - head >= depth) {
                return false;
            }
            int i = (int) position & mask;
            if ((long) SEQUENCE.getAcquire(sequences, i) != position) {
                // another producer took it, or a consumer is still reading the old entry
                Thread.onSpinWait();
                continue;
            }
            if (TAIL.compareAndSet(this, position, position + 1)) {
                int at = i * WORDS;
                pairs[i] = pair;
                entries[at + ID] = id;
                entries[at + KIND_LENGTH] = kind & LOW | (long) length << 32;
                entries[at + IMMEDIATE_GENERATION] =
                        immediate & LOW | (long) pair.generation() << 32;
                entries[at + SEND_INDEX] = index;
                SEQUENCE.setRelease(sequences, i, position + 1);
                return true;
            }
        }
    }

    /**
     * Moves completions to a cursor, skipping those of queue pairs that were reset or closed since,
     * and gives back the send-queue slots they stand for.
     *
     * @return how many the cursor holds now
     */
    int take(WorkCompletion completions) {
        int count = 0;
        int capacity = completions.capacity();
        while (count < capacity) {
            long position = head;
            int i = (int) position & mask;
            long sequence = (long) SEQUENCE.getAcquire(sequences, i);
            if (sequence != position + 1) {
                if (position == head) {
                    break;
                }
                continue;
            }
            if (!HEAD.compareAndSet(this, position, position + 1)) {
                continue;
            }
            count += deliver(i, completions, count);
            pairs[i] = null;
            SEQUENCE.setRelease(sequences, i, position + mask + 1);
        }
        return count;
    }

    boolean isEmpty() {
        return head == tail;
    }

    private int deliver(int i, WorkCompletion completions, int place) {
        CompletionOwner pair = pairs[i];
        int at = i * WORDS;
        long immediate = entries[at + IMMEDIATE_GENERATION];
        if (pair.generation() != (int) (immediate >>> 32)) {
            return 0;
        }
        if (entries[at + SEND_INDEX] >= 0) {
            pair.freeSendSlots(entries[at + SEND_INDEX] + 1);
        }
        long kind = entries[at + KIND_LENGTH];
        completions
                .at(place)
                .set(
                        entries[at + ID],
                        (int) kind & 0xFF,
                        (int) kind >>> 8 & 0xFF,
                        (int) (kind >>> 32),
                        (int) immediate,
                        pair.number(),
                        (int) kind >>> 16 & 0xFF);
        return 1;
    }

    static int kind(int status, int opcode, int flags) {
        return status | opcode << 8 | flags << 16;
    }
}
