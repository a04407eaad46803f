// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.ibv;

import io.verbena.verbs.WorkCompletion;
import io.verbena.verbs.WorkCompletionStatus;
import java.util.Arrays;

/**
 * The send queues that complete on one completion queue, by the number of their queue pair.
 *
 * <p>Open addressing. Look-ups take no lock: the table is never changed, only replaced. Completions
 * of receives, and of queue pairs that are gone, match nothing.
 */
final class SendRooms {
    private static final int SUCCESS = WorkCompletionStatus.SUCCESS.code();

    /** Set in the opcodes of receives; {@code IBV_WC_RECV}. */
    private static final int RECEIVE = 1 << 7;

    private static final int FIRST_CAPACITY = 8;

    /** Marks an empty slot of the table; no queue pair has this number. */
    private final SendRoom nobody = new SendRoom(-1, 1, false);

    private int count;
    private volatile SendRoom[] table = empty(FIRST_CAPACITY);

    private SendRoom[] empty(int capacity) {
        SendRoom[] made = new SendRoom[capacity];
        Arrays.fill(made, nobody);
        return made;
    }

    /** Called by one thread at a time, like {@link #remove}. */
    void add(SendRoom room) {
        count++;
        replace(room, nobody);
    }

    void remove(SendRoom room) {
        count--;
        replace(nobody, room);
    }

    private void replace(SendRoom added, SendRoom removed) {
        int capacity = Math.max(FIRST_CAPACITY, Integer.highestOneBit(count) * 4);
        SendRoom[] changed = empty(capacity);
        for (SendRoom room : table) {
            if (room != removed) {
                insert(changed, room);
            }
        }
        insert(changed, added);
        table = changed;
    }

    private void insert(SendRoom[] into, SendRoom room) {
        if (room != nobody) {
            int mask = into.length - 1;
            int i = room.number() & mask;
            while (into[i] != nobody) {
                i = i + 1 & mask;
            }
            into[i] = room;
        }
    }

    private SendRoom find(int number) {
        SendRoom[] now = table;
        int mask = now.length - 1;
        int i = number & mask;
        while (now[i] != nobody && now[i].number() != number) {
            i = i + 1 & mask;
        }
        return now[i];
    }

    /**
     * Counts what a poll has taken.
     *
     * @param completions afterwards at the first of them
     * @param taken how many
     */
    void onPolled(WorkCompletion completions, int taken) {
        SendRoom room = nobody;
        int successes = 0;
        for (int i = 0; i < taken; i++) {
            completions.at(i);
            boolean isFailure = completions.statusCode() != SUCCESS;
            if (!isFailure && (completions.opcodeCode() & RECEIVE) != 0) {
                continue;
            }
            int number = completions.queuePairNumber();
            if (number != room.number()) {
                flush(room, successes);
                successes = 0;
                room = find(number);
            }
            if (isFailure) {
                flush(room, successes);
                successes = 0;
                room.onFailure(completions.id());
            } else {
                successes++;
            }
        }
        flush(room, successes);
        completions.at(0);
    }

    /** A run of completions of one queue pair costs one atomic operation. */
    private static void flush(SendRoom room, int successes) {
        if (successes > 0) {
            room.onSuccess(successes);
        }
    }
}
