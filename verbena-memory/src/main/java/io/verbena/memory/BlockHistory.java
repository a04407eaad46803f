// SPDX-License-Identifier: Apache-2.0
package io.verbena.memory;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

/** Where a watched block or buffer was made and, if asked for, where it was last used. */
final class BlockHistory {
    /** The history of a block or buffer that is not watched. */
    static final BlockHistory NONE = new BlockHistory(false);

    private static final int USES = 8;
    private static final int FRAMES = 16;

    /** The pool's own frames say nothing about who uses it. */
    private static final Set<String> OWN =
            Set.of(
                    BlockHistory.class.getName(),
                    LeakWatch.class.getName(),
                    BlockPool.class.getName(),
                    Block.class.getName());

    /** A place in the program, kept as captured and made readable only on demand. */
    private static final class Place {
        private final String what;
        private final String thread = Thread.currentThread().getName();
        private final Throwable stack = new Throwable();

        Place(String what) {
            this.what = what;
        }

        void describe(StringBuilder text) {
            text.append("  ").append(what).append(" by ").append(thread).append('\n');
            Arrays.stream(stack.getStackTrace())
                    .dropWhile(frame -> isOwn(frame.getClassName()))
                    .limit(FRAMES)
                    .forEach(frame -> text.append("    at ").append(frame).append('\n'));
        }

        private static boolean isOwn(String className) {
            return OWN.contains(className) || className.equals(Place.class.getName());
        }
    }

    private final boolean recordsUse;
    private final ReentrantLock lock = new ReentrantLock();
    private final Deque<Place> uses = new ArrayDeque<>();
    private Place origin;

    private BlockHistory(boolean recordsUse) {
        this.recordsUse = recordsUse;
    }

    /** {@return a history that starts here} */
    static BlockHistory begin(boolean recordsUse) {
        BlockHistory history = new BlockHistory(recordsUse);
        history.origin = new Place("allocated");
        return history;
    }

    void record(String what) {
        if (recordsUse) {
            recordSlowPath(new Place(what));
        }
    }

    private void recordSlowPath(Place use) {
        lock.lock();
        try {
            if (uses.size() == USES) {
                uses.removeFirst();
            }
            uses.addLast(use);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        lock.lock();
        try {
            if (origin != null) {
                origin.describe(text);
            }
            uses.forEach(use -> use.describe(text));
        } finally {
            lock.unlock();
        }
        return text.toString();
    }
}
