// SPDX-License-Identifier: Apache-2.0

package io.verbena.tools;

import com.google.protobuf.Message;
import io.verbena.memory.IOBuf;
import io.verbena.rpc.Channel;
import io.verbena.rpc.ClientCall;
import io.verbena.rpc.RpcMethod;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Keeps a number of calls under way on one channel, each followed by the next. Needs no thread: it
 * continues in the callbacks of its calls.
 *
 * @param <Q> the request's class
 * @param <R> the response's class
 */
public final class CallLoop<Q extends Message, R extends Message> {
    private final Channel channel;
    private final Work<Q, R> work;
    private final Observer<R> observer;
    private final CountDownLatch open;

    /**
     * What is called.
     *
     * @param <Q> the request's class
     * @param <R> the response's class
     * @param method the method to call
     * @param request the request
     * @param attachment sent along with the request; stays the caller's until the loop has ended
     */
    public record Work<Q extends Message, R extends Message>(
            RpcMethod<Q, R> method, Q request, IOBuf attachment) {}

    /**
     * Decides how long the loop continues and is notified of every call, on the callback's thread.
     *
     * @param <R> the response's class
     */
    public interface Observer<R extends Message> {
        /** {@return whether to make another call; may block if callbacks may} */
        boolean mayCall();

        /**
         * A call was answered.
         *
         * @param call the call; reused when this returns
         * @param response the answer
         * @param tookNs how long it took
         */
        void onAnswer(ClientCall call, R response, long tookNs);

        /**
         * A call failed; another call is made only if {@link #mayCall} says so.
         *
         * @param call the call
         */
        void onFailure(ClientCall call);
    }

    /**
     * A loop that is not started.
     *
     * @param channel where calls go; stays the caller's
     * @param work what to call
     * @param depth how many calls to keep under way
     * @param observer is notified of them
     */
    public CallLoop(Channel channel, Work<Q, R> work, int depth, Observer<R> observer) {
        this.channel = channel;
        this.work = work;
        this.observer = observer;
        this.open = new CountDownLatch(depth);
    }

    /** Makes the first calls. */
    public void start() {
        for (long i = open.getCount(); i > 0; i--) {
            new Slot().next();
        }
    }

    /**
     * Waits until no call is under way and none will be made.
     *
     * @param timeoutNs how long to wait
     * @return whether it has ended
     * @throws InterruptedException if the thread was interrupted
     */
    public boolean awaitEnd(long timeoutNs) throws InterruptedException {
        return open.await(timeoutNs, TimeUnit.NANOSECONDS);
    }

    /**
     * Makes one call after another; one thread at a time, because a call ends before the next
     * begins.
     */
    private final class Slot implements Consumer<R> {
        private final ClientCall call = channel.newCall();

        /**
         * Shares the attachment's memory; a separate buffer, because a buffer is for one thread at
         * a time.
         */
        private final IOBuf attached = work.attachment().pool().buffer().append(work.attachment());

        private long startNs;

        void next() {
            if (!observer.mayCall()) {
                call.close();
                attached.close();
                open.countDown();
                return;
            }
            call.reset();
            if (!attached.isEmpty()) {
                call.requestAttachment().append(attached);
            }
            startNs = System.nanoTime();
            channel.start(work.method(), work.request(), call, this);
        }

        @Override
        public void accept(R response) {
            long tookNs = System.nanoTime() - startNs;
            if (call.failed()) {
                observer.onFailure(call);
            } else {
                observer.onAnswer(call, response, tookNs);
            }
            next();
        }
    }
}
