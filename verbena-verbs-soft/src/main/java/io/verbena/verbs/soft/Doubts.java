// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * Distinguishes a peer that is not ready from one whose messages are late. When a queue pair has
 * waited too long, the peer is asked over the links; the answer arrives after everything sent
 * before it in both directions. A slow or stopped process answers late and is waited for; a dead
 * one ends its links.
 *
 * <p>Threads: any. Only one question is outstanding at a time, so that two processes that ask each
 * other cannot fill each other's links.
 */
final class Doubts {
    private record Doubt(QueuePairEngine pair, long nonce) {}

    private final LongSupplier tokens;
    private final LongConsumer question;
    private final ReentrantLock lock = new ReentrantLock();
    private List<Doubt> waiting = new ArrayList<>();
    private List<Doubt> asked = List.of();
    private long token;

    /**
     * @param tokens makes tokens that only the peer can answer with
     * @param question sends a token to the peer; must not block
     */
    Doubts(LongSupplier tokens, LongConsumer question) {
        this.tokens = tokens;
        this.question = question;
    }

    /** Asks the peer on behalf of a queue pair. */
    void add(QueuePairEngine pair, long nonce) {
        lock.lock();
        try {
            waiting.add(new Doubt(pair, nonce));
            askIfFree();
        } finally {
            lock.unlock();
        }
    }

    private void askIfFree() {
        if (!asked.isEmpty() || waiting.isEmpty()) {
            return;
        }
        List<Doubt> none = new ArrayList<>();
        long next = tokens.getAsLong();
        token = next;
        asked = waiting;
        waiting = none;
        try {
            question.accept(next);
        } catch (Throwable e) { // nobody would answer, and no other question be asked
            waiting = asked;
            asked = List.of();
            throw e;
        }
    }

    /**
     * The peer has answered: notifies the queue pairs that asked, if the answer fits the question.
     */
    void onAnswer(long answer) {
        List<Doubt> answered;
        lock.lock();
        try {
            if (asked.isEmpty() || answer != token) {
                return;
            }
            answered = asked;
            asked = List.of();
            askIfFree();
        } finally {
            lock.unlock();
        }
        answered.forEach(doubt -> doubt.pair().onAnswer(doubt.nonce()));
    }
}
