// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/**
 * Is the peer told of the end of a stream once, whatever comes first: the end, or the thread that
 * connects the stream after it has sent the response?
 */
public final class StreamEndTest {
    private StreamEndTest() {}

    private static StressStream paired() {
        StressStream stream = new StressStream();
        stream.pair();
        return stream;
    }

    /** The handler fails at a message that came quickly. */
    @JCStressTest
    @Outcome(id = "1", expect = ACCEPTABLE, desc = "The peer was told.")
    @Outcome(expect = FORBIDDEN, desc = "It was not, or twice.")
    @State
    public static class ConnectAndFail {
        private final StressStream stream = paired();

        /** The thread that has sent the response. */
        @Actor
        public void connect() {
            stream.connect();
        }

        /** The handler's thread. */
        @Actor
        public void fail() {
            stream.fail();
        }

        /** What was sent. */
        @Arbiter
        public void check(I_Result r) {
            r.r1 = stream.sent();
        }
    }

    /** The handler closes the stream, and then fails. */
    @JCStressTest
    @Outcome(id = "1", expect = ACCEPTABLE, desc = "The peer was told.")
    @Outcome(expect = FORBIDDEN, desc = "It was not, or twice.")
    @State
    public static class ConnectAndCloseAndFail {
        private final StressStream stream = paired();

        /** The thread that has sent the response. */
        @Actor
        public void connect() {
            stream.connect();
        }

        /** The handler's thread. */
        @Actor
        public void closeAndFail() {
            stream.close();
            stream.fail();
        }

        /** What was sent. */
        @Arbiter
        public void check(I_Result r) {
            r.r1 = stream.sent();
        }
    }
}
