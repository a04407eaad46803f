// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import static io.verbena.verbs.WorkCompletionStatus.SUCCESS;

import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.SendOpcode;
import io.verbena.verbs.WorkCompletionOpcode;
import io.verbena.verbs.WorkCompletionStatus;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * A stream of requests in one direction, and checks of what comes from the other. Every message has
 * a number and is filled with a pattern; every read and atomic has a known result. Both ends of a
 * connection run one. Used by one thread.
 */
final class Traffic {
    /** What is sent. */
    enum Kind {
        SEND,
        WRITE,
        READ,
        ATOMIC,
        MIXED
    }

    /** What was posted and its expected result. */
    private record Posted(SendOpcode opcode, long slot, int length, long expected) {}

    /** An outstanding request, and whether the peer was certainly alive when it was posted. */
    private record Outstanding(Posted request, boolean isToTheLiving) {}

    static final int WINDOW = 8;
    static final int RECEIVES = 8;
    private static final int SLOTS = 2 * WINDOW;
    private static final int SLOT_BYTES = 160 * 1024;
    private static final int[] LENGTHS = {8, 64, 472, 480, 4096, 70_000, SLOT_BYTES};
    private static final long SENDS = 0;
    private static final long RECEIVED = SENDS + (long) SLOTS * SLOT_BYTES;
    private static final long WRITTEN = RECEIVED + (long) SLOTS * SLOT_BYTES;
    private static final long STILL = WRITTEN + (long) SLOTS * SLOT_BYTES;
    private static final long ADDED = STILL + SLOT_BYTES;
    private static final long SWAPPED = ADDED + 64;

    /** What a region must have. */
    static final long REGION_BYTES = SWAPPED + 64;

    private static final long STILL_NUMBER = 0x5EED;

    private final Party party;
    private final Kind kind;
    private final Random random;
    private final ArrayDeque<Outstanding> outstanding = new ArrayDeque<>();
    private final List<WorkCompletionStatus> failures = new ArrayList<>();
    private long next;
    private long messages;
    private long adds;
    private long swaps;
    private long expectedMessage;
    private int receives;
    private int flushedReceives;
    private long successes;
    private boolean isPeerDoomed;
    private boolean mustRetryFail;

    Traffic(Party party, Kind kind, long seed) {
        this.party = party;
        this.kind = kind;
        this.random = new Random(seed);
        fill(STILL, STILL_NUMBER, SLOT_BYTES);
    }

    void postReceives() {
        while (receives < RECEIVES) {
            postReceive(receives);
        }
    }

    private void postReceive(long slot) {
        if (!party.postReceive(slot, RECEIVED + slot * SLOT_BYTES, SLOT_BYTES)) {
            throw new IllegalStateException("receive queue full");
        }
        receives++;
    }

    /** Posts until the window is full. */
    void fillWindow() {
        while (outstanding.size() < WINDOW && failures.isEmpty()) {
            postOne();
        }
    }

    private void postOne() {
        Kind chosen = kind == Kind.MIXED ? Kind.values()[random.nextInt(4)] : kind;
        long slot = next % SLOTS;
        long offset = SENDS + slot * SLOT_BYTES;
        int length = LENGTHS[random.nextInt(LENGTHS.length)];
        Posted posted =
                switch (chosen) {
                    case SEND -> message(SendOpcode.SEND, slot, offset, length);
                    case WRITE ->
                            message(SendOpcode.RDMA_WRITE_WITH_IMMEDIATE, slot, offset, length);
                    case READ -> read(slot, offset, length);
                    default -> atomic(slot, offset);
                };
        outstanding.add(new Outstanding(posted, !isPeerDoomed));
        next++;
    }

    private Posted message(SendOpcode opcode, long slot, long offset, int length) {
        fill(offset, messages, length);
        long target = WRITTEN + messages % SLOTS * SLOT_BYTES;
        require(party.post(opcode, messages, offset, length, target), "send queue full");
        return new Posted(opcode, slot, length, messages++);
    }

    private Posted read(long slot, long offset, int length) {
        fill(offset, 0, length);
        require(party.post(SendOpcode.RDMA_READ, next, offset, length, STILL), "send queue full");
        return new Posted(SendOpcode.RDMA_READ, slot, length, STILL_NUMBER);
    }

    private Posted atomic(long slot, long offset) {
        if (random.nextBoolean()) {
            require(party.postAdd(next, offset, ADDED), "send queue full");
            return new Posted(SendOpcode.FETCH_AND_ADD, slot, Long.BYTES, adds++);
        }
        require(party.postSwap(next, offset, SWAPPED, swaps, swaps + 1), "send queue full");
        return new Posted(SendOpcode.COMPARE_AND_SWAP, slot, Long.BYTES, swaps++);
    }

    /** Takes one completion, if there is one, and checks the result. */
    boolean pollOne() {
        if (!party.poll()) {
            return false;
        }
        WorkCompletionOpcode opcode = party.cursor.opcode();
        if (opcode == WorkCompletionOpcode.RECEIVE
                || opcode == WorkCompletionOpcode.RECEIVE_RDMA_WITH_IMMEDIATE) {
            onReceive(opcode);
        } else {
            onSent(outstanding.remove());
        }
        return true;
    }

    private void onReceive(WorkCompletionOpcode opcode) {
        receives--;
        WorkCompletionStatus status = party.cursor.status();
        if (status != SUCCESS) {
            require(status == WorkCompletionStatus.WORK_REQUEST_FLUSHED, "receive: " + status);
            flushedReceives++;
            return;
        }
        long slot = party.cursor.id();
        long offset =
                opcode == WorkCompletionOpcode.RECEIVE
                        ? RECEIVED + slot * SLOT_BYTES
                        : WRITTEN + expectedMessage % SLOTS * SLOT_BYTES;
        check(opcode.toString(), offset, expectedMessage++, party.cursor.length());
        successes++;
        postReceive(slot);
    }

    private void onSent(Outstanding oldest) {
        WorkCompletionStatus status = party.cursor.status();
        if (status != SUCCESS) {
            mustRetryFail |= failures.isEmpty() && oldest.isToTheLiving;
            failures.add(status);
            return;
        }
        require(failures.isEmpty(), "success after failure");
        successes++;
        Posted posted = oldest.request;
        long offset = SENDS + posted.slot * SLOT_BYTES;
        switch (posted.opcode) {
            case RDMA_READ -> check("read", offset, posted.expected, posted.length);
            case FETCH_AND_ADD, COMPARE_AND_SWAP ->
                    require(
                            memory().get(ValueLayout.JAVA_LONG, offset) == posted.expected,
                            posted + " brought " + memory().get(ValueLayout.JAVA_LONG, offset));
            default -> {
                // the other end checks it
            }
        }
    }

    private void fill(long offset, long number, int length) {
        MemorySegment memory = memory();
        for (int i = 0; i < length; i += Long.BYTES) {
            memory.set(ValueLayout.JAVA_LONG, offset + i, pattern(number, i));
        }
    }

    private void check(String what, long offset, long number, int length) {
        MemorySegment memory = memory();
        require(length > 0 && length % Long.BYTES == 0, what + " of " + length + " bytes");
        for (int i = 0; i < length; i += Long.BYTES) {
            long found = memory.get(ValueLayout.JAVA_LONG, offset + i);
            if (found != pattern(number, i)) {
                throw new IllegalStateException(
                        what + " " + number + " of " + length + " bytes is torn at " + i);
            }
        }
    }

    private static long pattern(long number, int at) {
        return number * 0x9E37_79B9_7F4A_7C15L + at + 1;
    }

    private MemorySegment memory() {
        return party.region.memory();
    }

    private static void require(boolean condition, String message) {
        if (!condition) {
            throw new IllegalStateException(message);
        }
    }

    /** {@return the failed sends, oldest first} */
    List<WorkCompletionStatus> failures() {
        return failures;
    }

    /** The peer is about to be killed: requests posted from now on may find it dead. */
    void doom() {
        isPeerDoomed = true;
    }

    /**
     * {@return whether the oldest failed send was sent while the peer was alive} A request posted
     * later may find a queue pair that has already failed with nothing outstanding.
     */
    boolean mustRetryFail() {
        return mustRetryFail;
    }

    int flushedReceives() {
        return flushedReceives;
    }

    long successes() {
        return successes;
    }

    /** {@return whether nothing is posted any more and the queue pair has failed} */
    boolean isOver() {
        return party.pair.state() == QueuePairState.ERROR && outstanding.isEmpty() && receives == 0;
    }

    @Override
    public String toString() {
        return kind
                + ": state "
                + party.pair.state()
                + ", outstanding "
                + outstanding
                + ", receives "
                + receives
                + ", successes "
                + successes
                + ", failures "
                + failures;
    }
}
