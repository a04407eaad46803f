// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.rpc.test.EchoResponse;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;

/** How each call ended; each must end once. */
final class Outcomes {
    private final CountDownLatch left;
    private final AtomicIntegerArray codes;
    private final AtomicInteger wrong = new AtomicInteger();

    Outcomes(int calls) {
        left = new CountDownLatch(calls);
        codes = new AtomicIntegerArray(calls);
        for (int i = 0; i < calls; i++) {
            codes.set(i, -1);
        }
    }

    void end(int number, Controller controller, EchoResponse answer) {
        boolean isRight = controller.failed() || answer.getMessage().equals(String.valueOf(number));
        if (codes.getAndSet(number, controller.errorCode()) != -1 || !isRight) {
            wrong.incrementAndGet();
        }
        controller.close();
        left.countDown();
    }

    void await() {
        try {
            assertThat(left.await(30, TimeUnit.SECONDS)).as("all calls end").isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        assertThat(wrong.get()).as("calls that ended twice or wrong").isZero();
    }

    Set<Integer> codes() {
        Set<Integer> seen = new TreeSet<>();
        for (int i = 0; i < codes.length(); i++) {
            seen.add(codes.get(i));
        }
        return seen;
    }
}
