// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * If an answer, the deadline, the end of the connection and a cancel come at the same moment, does
 * exactly one of them end the call, and is its place free afterwards? Two at a time, so that a
 * machine with two processors can run them.
 */
public final class CallOutcomeTest {
    private CallOutcomeTest() {}

    /** Answer and deadline. */
    @JCStressTest
    @Outcome(
            id = {"1, 0, 0", "0, 1, 0"},
            expect = ACCEPTABLE,
            desc = "One of them ended the call.")
    @Outcome(expect = FORBIDDEN, desc = "It ended twice or never, or its place is not free.")
    @State
    public static class AnswerAndDeadline {
        private final SentCall call = new SentCall();

        /** The first. */
        @Actor
        public void answer(III_Result r) {
            r.r1 = call.answer();
        }

        /** The second. */
        @Actor
        public void deadline(III_Result r) {
            r.r2 = call.deadline();
        }

        /** What is left. */
        @Arbiter
        public void check(III_Result r) {
            r.r3 = call.left();
        }
    }

    /** Answer and death. */
    @JCStressTest
    @Outcome(
            id = {"1, 0, 0", "0, 1, 0"},
            expect = ACCEPTABLE,
            desc = "One of them ended the call.")
    @Outcome(expect = FORBIDDEN, desc = "It ended twice or never, or its place is not free.")
    @State
    public static class AnswerAndDeath {
        private final SentCall call = new SentCall();

        /** The first. */
        @Actor
        public void answer(III_Result r) {
            r.r1 = call.answer();
        }

        /** The second. */
        @Actor
        public void death(III_Result r) {
            r.r2 = call.death();
        }

        /** What is left. */
        @Arbiter
        public void check(III_Result r) {
            r.r3 = call.left();
        }
    }

    /** Answer and cancel. */
    @JCStressTest
    @Outcome(
            id = {"1, 0, 0", "0, 1, 0"},
            expect = ACCEPTABLE,
            desc = "One of them ended the call.")
    @Outcome(expect = FORBIDDEN, desc = "It ended twice or never, or its place is not free.")
    @State
    public static class AnswerAndCancel {
        private final SentCall call = new SentCall();

        /** The first. */
        @Actor
        public void answer(III_Result r) {
            r.r1 = call.answer();
        }

        /** The second. */
        @Actor
        public void cancel(III_Result r) {
            r.r2 = call.cancel();
        }

        /** What is left. */
        @Arbiter
        public void check(III_Result r) {
            r.r3 = call.left();
        }
    }

    /** Deadline and death. */
    @JCStressTest
    @Outcome(
            id = {"1, 0, 0", "0, 1, 0"},
            expect = ACCEPTABLE,
            desc = "One of them ended the call.")
    @Outcome(expect = FORBIDDEN, desc = "It ended twice or never, or its place is not free.")
    @State
    public static class DeadlineAndDeath {
        private final SentCall call = new SentCall();

        /** The first. */
        @Actor
        public void deadline(III_Result r) {
            r.r1 = call.deadline();
        }

        /** The second. */
        @Actor
        public void death(III_Result r) {
            r.r2 = call.death();
        }

        /** What is left. */
        @Arbiter
        public void check(III_Result r) {
            r.r3 = call.left();
        }
    }

    /** Deadline and cancel. */
    @JCStressTest
    @Outcome(
            id = {"1, 0, 0", "0, 1, 0"},
            expect = ACCEPTABLE,
            desc = "One of them ended the call.")
    @Outcome(expect = FORBIDDEN, desc = "It ended twice or never, or its place is not free.")
    @State
    public static class DeadlineAndCancel {
        private final SentCall call = new SentCall();

        /** The first. */
        @Actor
        public void deadline(III_Result r) {
            r.r1 = call.deadline();
        }

        /** The second. */
        @Actor
        public void cancel(III_Result r) {
            r.r2 = call.cancel();
        }

        /** What is left. */
        @Arbiter
        public void check(III_Result r) {
            r.r3 = call.left();
        }
    }

    /** Death and cancel. */
    @JCStressTest
    @Outcome(
            id = {"1, 0, 0", "0, 1, 0"},
            expect = ACCEPTABLE,
            desc = "One of them ended the call.")
    @Outcome(expect = FORBIDDEN, desc = "It ended twice or never, or its place is not free.")
    @State
    public static class DeathAndCancel {
        private final SentCall call = new SentCall();

        /** The first. */
        @Actor
        public void death(III_Result r) {
            r.r1 = call.death();
        }

        /** The second. */
        @Actor
        public void cancel(III_Result r) {
            r.r2 = call.cancel();
        }

        /** What is left. */
        @Arbiter
        public void check(III_Result r) {
            r.r3 = call.left();
        }
    }
}
