// SPDX-License-Identifier: Apache-2.0

package io.verbena.tools;

import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Message;
import com.google.protobuf.RpcCallback;
import io.verbena.memory.IOBuf;
import io.verbena.rpc.Channel;
import io.verbena.rpc.Controller;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Keeps a number of calls under way on one channel, each followed by the next. Needs no thread: it
 * continues in the callbacks of its calls.
 */
public final class CallLoop {
    private final Channel channel;
    private final Work work;
    private final Observer observer;
    private final CountDownLatch open;

    /**
     * What is called.
     *
     * @param method the method to call
     * @param request the request
     * @param prototype an instance of the answer's class
     * @param attachment sent along with the request; stays the caller's until the loop has ended
     */
    public record Work(
            MethodDescriptor method, Message request, Message prototype, IOBuf attachment) {}

    /**
     * Decides how long the loop continues and is notified of every call, on the callback's thread.
     */
    public interface Observer {
        /** {@return whether to make another call; may block if callbacks may} */
        boolean mayCall();

        /**
         * A call was answered.
         *
         * @param controller the call's controller; reused when this returns
         * @param response the answer
         * @param tookNs how long it took
         */
        void onAnswer(Controller controller, Message response, long tookNs);

        /**
         * A call failed; another call is made only if {@link #mayCall} says so.
         *
         * @param controller the call
         */
        void onFailure(Controller controller);
    }

    /**
     * A loop that is not started.
     *
     * @param channel where calls go; stays the caller's
     * @param work what to call
     * @param depth how many calls to keep under way
     * @param observer is notified of them
     */
    public CallLoop(Channel channel, Work work, int depth, Observer observer) {
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
    private final class Slot implements RpcCallback<Message> {
        private final Controller controller = channel.controller();

        /**
         * Shares the attachment's memory; a separate buffer, because a buffer is for one thread at
         * a time.
         */
        private final IOBuf attached = work.attachment().pool().buffer().append(work.attachment());

        private long startNs;

        void next() {
            if (!observer.mayCall()) {
                controller.close();
                attached.close();
                open.countDown();
                return;
            }
            controller.reset();
            if (!attached.isEmpty()) {
                controller.requestAttachment().append(attached);
            }
            startNs = System.nanoTime();
            channel.callMethod(work.method(), controller, work.request(), work.prototype(), this);
        }

        @Override
        public void run(Message response) {
            long tookNs = System.nanoTime() - startNs;
            if (controller.failed()) {
                observer.onFailure(controller);
            } else {
                observer.onAnswer(controller, response, tookNs);
            }
            next();
        }
    }
}
