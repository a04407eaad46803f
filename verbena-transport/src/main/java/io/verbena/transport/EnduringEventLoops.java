// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

import io.netty.channel.IoEventLoop;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SingleThreadIoEventLoop;
import io.verbena.completion.EnduringTask;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;

/**
 * Event loops whose threads survive whatever a round throws. Netty's own end with an error in the
 * handler, or in reporting what a task has thrown, such as an OutOfMemoryError, and nobody serves
 * their connections any more. The next round finds what this one has left out: the selector reports
 * it again, and tasks are still in their queue.
 */
final class EnduringEventLoops extends MultiThreadIoEventLoopGroup {
    /**
     * Loops that have not started.
     *
     * @param count how many
     * @param threads makes their threads
     * @param factory makes the handlers that do the work
     */
    EnduringEventLoops(int count, ThreadFactory threads, IoHandlerFactory factory) {
        super(count, threads, factory);
    }

    @Override
    protected IoEventLoop newChild(
            Executor executor, IoHandlerFactory factory, Object... arguments) {
        return new Enduring(this, executor, factory);
    }

    private static final class Enduring extends SingleThreadIoEventLoop {
        private final EnduringTask rounds = new EnduringTask(super::run);

        Enduring(EnduringEventLoops parent, Executor executor, IoHandlerFactory factory) {
            super(parent, executor, factory);
        }

        @Override
        protected void run() {
            rounds.run();
        }
    }
}
