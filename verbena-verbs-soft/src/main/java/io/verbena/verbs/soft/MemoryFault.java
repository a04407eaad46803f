// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

/**
 * Makes a fault in shared memory surface where it belongs.
 *
 * <p>Access to a page that a peer has cut off its file, or for which the file system has no room,
 * is an {@link InternalError}. Compiled code does not throw it at the access, but at its next
 * safepoint poll: by then the thread may have left the block that would catch it, and even the
 * device.
 */
final class MemoryFault {
    /**
     * Compilers inline one level of a recursion at most, so at this depth there is at least one
     * call.
     */
    private static final int DEPTH = 2;

    private MemoryFault() {}

    /**
     * Throws the error of an earlier access by this thread, if there was one. Costs about 2 ns: a
     * method that was really called polls when it returns.
     *
     * @throws InternalError if memory accessed before this call is gone
     */
    static void surface() {
        descend(DEPTH);
    }

    private static int descend(int depth) {
        return depth == 0 ? 0 : descend(depth - 1);
    }
}
