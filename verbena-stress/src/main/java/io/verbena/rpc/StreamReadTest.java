// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIZ_Result;
import org.openjdk.jcstress.infra.results.IZ_Result;

/**
 * Does what arrives on a stream reach a reader that is about to park, exactly once, and is nothing
 * left when the stream is closed? A reader that is never woken shows as a hang.
 */
public final class StreamReadTest {
    private StreamReadTest() {}

    /** A message, and a thread that reads. */
    @JCStressTest
    @Outcome(id = "4, true", expect = ACCEPTABLE, desc = "It has read the message.")
    @Outcome(expect = FORBIDDEN, desc = "It has not, or the message is still there.")
    @State
    public static class MessageAndReader {
        private final StressStream stream = new StressStream();

        /** The connection's thread. */
        @Actor
        public void message() {
            stream.onMessage();
        }

        /** Reads. */
        @Actor
        public void reader(IZ_Result r) {
            r.r1 = stream.read();
        }

        /** What is left. */
        @Arbiter
        public void check(IZ_Result r) {
            r.r2 = stream.isEmptyAfterClose();
        }
    }

    /** A message and the end, and a thread that reads until the end. */
    @JCStressTest
    @Outcome(id = "4, -1, true", expect = ACCEPTABLE, desc = "The message, then the end.")
    @Outcome(expect = FORBIDDEN, desc = "It has seen the end before the message.")
    @State
    public static class EndAndReader {
        private final StressStream stream = new StressStream();

        /** The connection's thread. */
        @Actor
        public void messageAndEnd() {
            stream.onMessage();
            stream.onClose();
        }

        /** Reads. */
        @Actor
        public void reader(IIZ_Result r) {
            r.r1 = stream.read();
            r.r2 = r.r1 < 0 ? 0 : stream.read();
        }

        /** What is left. */
        @Arbiter
        public void check(IIZ_Result r) {
            r.r3 = stream.isEmptyAfterClose();
        }
    }

    /** A message, and a thread that closes the stream. */
    @JCStressTest
    @Outcome(id = "-1, true", expect = ACCEPTABLE, desc = "The message was dropped.")
    @Outcome(expect = FORBIDDEN, desc = "It is still there.")
    @State
    public static class MessageAndClose {
        private final StressStream stream = new StressStream();

        /** The connection's thread. */
        @Actor
        public void message() {
            stream.onMessage();
        }

        /** Closes. */
        @Actor
        public void close() {
            stream.close();
        }

        /** What is left. */
        @Arbiter
        public void check(IZ_Result r) {
            r.r1 = stream.read();
            r.r2 = stream.isEmptyAfterClose();
        }
    }

    /** A thread that reads, and one that closes the stream. */
    @JCStressTest
    @Outcome(
            id = {"4, true", "-1, true"},
            expect = ACCEPTABLE,
            desc = "The message was read, or dropped.")
    @Outcome(expect = FORBIDDEN, desc = "It was both, or is still there.")
    @State
    public static class ReaderAndClose {
        private final StressStream stream = new StressStream();

        /** With a message. */
        public ReaderAndClose() {
            stream.onMessage();
        }

        /** Reads. */
        @Actor
        public void reader(IZ_Result r) {
            r.r1 = stream.read();
        }

        /** Closes. */
        @Actor
        public void close() {
            stream.close();
        }

        /** What is left. */
        @Arbiter
        public void check(IZ_Result r) {
            r.r2 = stream.isEmptyAfterClose();
        }
    }
}
