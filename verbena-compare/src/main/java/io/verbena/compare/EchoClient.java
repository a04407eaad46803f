// SPDX-License-Identifier: Apache-2.0

package io.verbena.compare;

/** A client of an {@link EchoSystem}. One connection, whatever the number of callers. */
public interface EchoClient extends AutoCloseable {
    /** Makes one call at a time. */
    interface Caller {
        /** Starts a call; its outcome is told on any thread. */
        void call();

        /** No call is under way any more, and none will be. */
        default void close() {}
    }

    /** How a call went. */
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

    /**
     * {@return something that makes calls}
     *
     * @param bytes how many bytes each sends
     * @param outcome who is told how they went
     */
    Caller caller(int bytes, Outcome outcome);

    @Override
    void close();
}
