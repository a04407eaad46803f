// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.util.Optional;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;
import org.openjdk.jcstress.infra.results.JJ_Result;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/**
 * The window of a stream that is full: is its writer always told that there is room, or that the
 * stream has ended?
 */
public final class StreamWindowTest {
    private static final int SIZE = 2;

    private StreamWindowTest() {}

    private static StreamWindow full() {
        StreamWindow window =
                new StreamWindow(ByteStreamOptions.DEFAULT.withBufSizes(0, SIZE), false);
        window.produce(SIZE);
        return window;
    }

    /** A writer is refused while feedback arrives. */
    @JCStressTest
    @Outcome(
            id = {"true, false", "true, true"},
            expect = ACCEPTABLE,
            desc = "It was not refused; that it is woken as well does no harm.")
    @Outcome(id = "false, true", expect = ACCEPTABLE, desc = "It was refused, and is woken.")
    @Outcome(id = "false, false", expect = FORBIDDEN, desc = "It was refused and waits forever.")
    @State
    public static class RefusedAndFeedback {
        private final StreamWindow window = full();

        /** Asks for room. */
        @Actor
        public void writer(ZZ_Result r) {
            r.r1 = window.isOpen();
        }

        /** The peer has consumed a byte. */
        @Actor
        public void feedback(ZZ_Result r) {
            window.tryConsume(1);
            r.r2 = window.tryWake();
        }
    }

    /** A writer waits, as that of a stream does; if nobody wakes it, the test hangs. */
    @JCStressTest
    @Outcome(id = "1", expect = ACCEPTABLE, desc = "It went on.")
    @Outcome(expect = FORBIDDEN, desc = "It went on without room.")
    @State
    public static class WaitingAndFeedback {
        private final StreamWindow window = full();
        private final StreamSignal room = new StreamSignal();

        /** Waits for room. */
        @Actor
        public void writer(I_Result r) {
            while (true) {
                StreamSignal.Wait wait = room.prepare(() -> {});
                if (window.isOpen()) {
                    room.forget();
                    r.r1 = 1;
                    return;
                }
                room.await(wait, Optional.empty());
            }
        }

        /** The peer has consumed a byte. */
        @Actor
        public void feedback() {
            window.tryConsume(1);
            if (window.tryWake()) {
                room.signal();
            }
        }
    }

    /** A writer waits while the stream ends; if nobody wakes it, the test hangs. */
    @JCStressTest
    @Outcome(id = "1", expect = ACCEPTABLE, desc = "It went on.")
    @Outcome(expect = FORBIDDEN, desc = "It went on too early.")
    @State
    public static class WaitingAndEnd {
        private final StreamWindow window = full();
        private final StreamSignal room = new StreamSignal();
        private volatile boolean isEnded;

        /** Waits for room, or the end. */
        @Actor
        public void writer(I_Result r) {
            while (true) {
                StreamSignal.Wait wait = room.prepare(() -> {});
                if (isEnded || window.isOpen()) {
                    room.forget();
                    r.r1 = isEnded ? 1 : 0;
                    return;
                }
                room.await(wait, Optional.empty());
            }
        }

        /** Ends the stream. */
        @Actor
        public void end() {
            isEnded = true;
            window.end();
            room.signal();
        }
    }

    /** Feedback arrives while the stream ends: what the connection has unconsumed. */
    @JCStressTest
    @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "The feedback came first.")
    @Outcome(id = "0, 2", expect = ACCEPTABLE, desc = "The end came first.")
    @Outcome(expect = FORBIDDEN, desc = "A byte was counted twice, or not at all.")
    @State
    public static class FeedbackAndEnd {
        private final StreamWindow window = full();

        /** The peer has consumed a byte. */
        @Actor
        public void feedback(JJ_Result r) {
            r.r1 = window.tryConsume(1);
        }

        /** Ends the stream. */
        @Actor
        public void end(JJ_Result r) {
            r.r2 = window.end();
        }
    }
}
