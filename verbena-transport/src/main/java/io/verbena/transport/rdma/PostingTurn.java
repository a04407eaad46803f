// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Lets one thread at a time post, without a lock: who raises the counter from zero is inside, and
 * does the work of all who raise it meanwhile.
 *
 * {@snippet :
 * for (int seen = turn.enter(); seen > 0; seen = turn.leave(seen)) {
 *     postWhatThereIs();
 * }
 * }
 *
 * <p>Every step is a read-modify-write, hence a full fence: what a thread published before {@link
 * #enter} is seen by whoever is inside before that one can leave.
 */
final class PostingTurn {
    private static final int CLOSED = Integer.MIN_VALUE;
    private static final VarHandle WANTED;

    static {
        try {
            WANTED = MethodHandles.lookup().findVarHandle(PostingTurn.class, "wanted", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    @SuppressWarnings("unused") // accessed through WANTED
    private volatile int wanted;

    /** {@return a positive number if the caller is inside now, to be given to {@link #leave}} */
    int enter() {
        return (int) WANTED.getAndAdd(this, 1) == 0 ? 1 : 0;
    }

    /**
     * Leaves, unless there is more to do.
     *
     * @param seen what the last {@link #enter} or {@link #leave} returned
     * @return 0 if the caller has left, a positive number if it is still inside, a negative one if
     *     it has left a turn that was closed meanwhile: then it must tell who closed it
     */
    int leave(int seen) {
        return (int) WANTED.getAndAdd(this, -seen) - seen;
    }

    /**
     * Lets nobody in any more. Once.
     *
     * @return whether nobody is inside; otherwise that one is told when it leaves
     */
    boolean close() {
        return (int) WANTED.getAndAdd(this, CLOSED) == 0;
    }
}
