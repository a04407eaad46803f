// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Lets one thread at a time post, without a lock: the thread that raises the counter from zero is
 * inside, and does the work of all threads that raise it meanwhile.
 *
 * {@snippet :
 * for (int seen = turn.enter(); seen > 0; seen = turn.leave(seen)) {
 *     postWhatThereIs();
 * }
 * }
 *
 * <p>Every step is a read-modify-write, hence a full fence: what a thread published before {@link
 * #enter} is seen by the thread inside before it can leave.
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

    /** {@return a positive number, to pass to {@link #leave}, if the caller is inside now} */
    int enter() {
        return (int) WANTED.getAndAdd(this, 1) == 0 ? 1 : 0;
    }

    /**
     * Leaves, unless there is more to do.
     *
     * @param seen what the last {@link #enter} or {@link #leave} returned
     * @return 0 if the caller has left, a positive number if it is still inside, a negative one if
     *     it has left a turn that was closed meanwhile, and must notify whoever closed it
     */
    int leave(int seen) {
        return (int) WANTED.getAndAdd(this, -seen) - seen;
    }

    /**
     * Lets no more threads in. Called once.
     *
     * @return whether it is empty; otherwise the thread inside learns of the close when it leaves
     */
    boolean close() {
        return (int) WANTED.getAndAdd(this, CLOSED) == 0;
    }
}
