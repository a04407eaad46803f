// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.pingpong;

import io.verbena.tools.ToolException;
import io.verbena.verbs.WorkCompletion;
import io.verbena.verbs.WorkCompletionStatus;

/**
 * The messages that go back and forth. The client sends, the server sends back what it received;
 * neither continues before its own message is done and the other's has arrived.
 */
final class Rally {
    private final LocalEnd end;
    private final PingPongPlan exchange;
    private final boolean client;
    private final PageMarks pages;
    private int posted;
    private int sent;
    private int received;

    /**
     * A rally that has not begun.
     *
     * @param end the connected queue pair
     * @param exchange what to send
     * @param client whether to send first
     */
    Rally(LocalEnd end, PingPongPlan exchange, boolean client) {
        this.end = end;
        this.exchange = exchange;
        this.client = client;
        this.pages = end.pages();
        this.posted = exchange.receiveDepth();
    }

    /** {@return how long it took, in nanoseconds} */
    long run() throws InterruptedException {
        long start = System.nanoTime();
        for (int turn = 1; turn <= exchange.iterations(); turn++) {
            if (client) {
                ping(turn);
                await(turn, turn);
                checkEcho(turn);
            } else {
                await(turn, turn - 1);
                end.postSend();
            }
        }
        await(exchange.iterations(), exchange.iterations());
        return System.nanoTime() - start;
    }

    /** {@return the received pages that differ from what a validating client sends} */
    int[] invalidPages() {
        return pages.invalid();
    }

    private void ping(int turn) {
        if (exchange.validate()) {
            pages.stamp(turn);
        }
        end.postSend();
    }

    private void checkEcho(int turn) {
        if (exchange.validate() && !pages.isEcho()) {
            throw new ToolException("invalid data in message " + turn + " of the server");
        }
    }

    private void await(int receives, int sends) throws InterruptedException {
        while (received < receives || sent < sends) {
            if (!end.completions().await(exchange.limit())) {
                throw new ToolException(
                        "nothing for "
                                + exchange.limit().toSeconds()
                                + " s after "
                                + received
                                + " of "
                                + exchange.iterations()
                                + " messages; has the peer the same -n, and is it alive?");
            }
            take(end.completions().current());
        }
    }

    private void take(WorkCompletion completion) {
        if (completion.status() != WorkCompletionStatus.SUCCESS) {
            throw new ToolException(
                    "Failed status "
                            + completion.status()
                            + " ("
                            + completion.statusCode()
                            + ") for wr_id "
                            + completion.id()
                            + hint(completion.status()));
        }
        if (completion.id() == LocalEnd.SEND) {
            sent++;
        } else {
            onReceive(completion);
        }
    }

    private static String hint(WorkCompletionStatus status) {
        return switch (status) {
            case RETRY_EXCEEDED -> "; the peer does not answer";
            case WORK_REQUEST_FLUSHED -> "; the peer is gone";
            case LOCAL_LENGTH, REMOTE_INVALID_REQUEST -> "; has the peer the same -s?";
            default -> "";
        };
    }

    private void onReceive(WorkCompletion completion) {
        received++;
        if (completion.length() != exchange.size()) {
            throw new ToolException(
                    "length of message "
                            + received
                            + ": "
                            + completion.length()
                            + " (expected: "
                            + exchange.size()
                            + "; has the peer the same -s?)");
        }
        posted--;
        if (posted <= 1) {
            end.postReceives(exchange.receiveDepth() - posted);
            posted = exchange.receiveDepth();
        }
    }
}
