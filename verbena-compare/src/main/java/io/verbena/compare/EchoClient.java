// SPDX-License-Identifier: Apache-2.0

package io.verbena.compare;

/** A client of an {@link EchoSystem}. It has one connection, whatever the number of callers. */
public interface EchoClient extends AutoCloseable {
    /** Makes one call at a time. */
    interface Caller {
        /** Starts a call; its outcome is reported on any thread. */
        void call();

        /** Called when no call is under way and none will follow. */
        default void close() {}
    }

    /** The outcome of a call. */
    interface Outcome {
        /**
         * It was answered.
         *
         * @param bytes how many bytes came back
         */
        void onAnswer(int bytes);

        /**
         * It failed.
         *
         * @param reason why
         */
        void onFailure(String reason);
    }

    /** Makes one call at a time, and waits for its answer. One thread uses it. */
    @FunctionalInterface
    interface BlockingCaller {
        /**
         * {@return how many bytes came back}
         *
         * @throws Exception if the call failed
         */
        int call() throws Exception;
    }

    /** Reads the messages that the server of a stream sends. One thread uses it. */
    interface MessageStream extends AutoCloseable {
        /** {@return how many bytes the next message has} Waits for it. */
        int next();

        @Override
        void close();
    }

    /**
     * {@return a caller with callbacks}
     *
     * @param bytes how many bytes each call sends
     * @param outcome receives the outcome of each call
     */
    Caller caller(int bytes, Outcome outcome);

    /**
     * {@return a caller that blocks} Only for contestants with {@linkplain CallerKind#isBlocking()
     * such callers}.
     *
     * @param bytes how many bytes each call sends
     */
    default BlockingCaller blockingCaller(int bytes) {
        throw new UnsupportedOperationException("this system is measured with callbacks only");
    }

    /**
     * {@return a stream of messages that the server sends as fast as it may} Only for contestants
     * that {@linkplain Contestant#hasStreams() are measured with streams}.
     *
     * @param bytes how many bytes each message has
     */
    default MessageStream stream(int bytes) {
        throw new UnsupportedOperationException("this system is measured with calls only");
    }

    /**
     * {@return a client with a connection of its own, which shares all else with this one} Only for
     * contestants that {@linkplain Contestant#isCrowd() are measured with many connections}. Closed
     * before this one.
     */
    default EchoClient sibling() {
        throw new UnsupportedOperationException("this system is measured with one connection only");
    }

    @Override
    void close();
}
