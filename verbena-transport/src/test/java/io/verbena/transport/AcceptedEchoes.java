// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Makes a server's handlers, and gives them to the test in the same order. */
final class AcceptedEchoes implements Supplier<ParsingEcho> {
    private final BlockingQueue<ParsingEcho> accepted = new LinkedBlockingQueue<>();

    @Override
    public ParsingEcho get() {
        ParsingEcho handler = new ParsingEcho();
        accepted.add(handler);
        return handler;
    }

    /** {@return the handler of the next connection that was accepted} */
    ParsingEcho next() throws InterruptedException {
        ParsingEcho handler = accepted.poll(20, TimeUnit.SECONDS);
        assertThat(handler).as("accepted connection").isNotNull();
        return handler;
    }
}
