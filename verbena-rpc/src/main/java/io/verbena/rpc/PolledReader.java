// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.Message;
import io.verbena.completion.Faults;
import io.verbena.rpc.spi.MessageSource;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Optional;

/**
 * The reader of a call with streams, over what its protocol has received.
 *
 * @param <M> the messages' class
 */
final class PolledReader<M extends Message> implements StreamReader<M> {
    private final Exchange exchange;
    private final MessageSource source;
    private final M prototype;
    private final StreamSignal arrivals = new StreamSignal();

    /** Runs the listener; empty while there is none. */
    private volatile Optional<SerialTask> pump = Optional.empty();

    private volatile boolean isPaused;
    private volatile boolean isClosed;

    /** The message that hasNext has found; null if none. Belongs to the reading thread. */
    private M ahead;

    /** Whether there will be no more messages. Belongs to the reading thread. */
    private boolean isAtEnd;

    /** Whether the listener knows. Belongs to the reading thread. */
    private boolean isToldOfEnd;

    PolledReader(Exchange exchange, MessageSource source, M prototype) {
        this.exchange = exchange;
        this.source = source;
        this.prototype = prototype;
    }

    /** Something has arrived, or the call is over. */
    void onReadable() {
        Optional<SerialTask> running = pump;
        if (running.isPresent()) {
            running.get().run();
        } else {
            arrivals.signal();
        }
    }

    @Override
    public boolean hasNext() {
        if (pump.isPresent()) {
            throw new IllegalStateException("reader: has a listener (expected: none)");
        }
        while (ahead == null && !isAtEnd) {
            advance();
            if (ahead == null && !isAtEnd) {
                await();
            }
        }
        return ahead != null;
    }

    @Override
    public M next() {
        if (!hasNext()) {
            throw new NoSuchElementException("the stream has ended");
        }
        M message = ahead;
        ahead = null;
        return message;
    }

    private void await() {
        StreamSignal.Wait wait = arrivals.prepare(this::interrupted);
        advance();
        if (ahead == null && !isAtEnd) {
            arrivals.await(wait, exchange.polled());
        } else {
            arrivals.forget();
        }
    }

    private void interrupted() {
        exchange.cancel(RpcError.ECANCELED.code(), "the reader was interrupted");
    }

    /**
     * Polls for the next message, or finds that there is none.
     *
     * @throws RpcException if the call failed
     */
    private void advance() {
        Exchange.Outcome outcome = exchange.outcome();
        // asked before the poll: what arrived before the end is there
        boolean isLast = outcome != null || isClosed || source.isEnded();
        ahead = poll();
        if (ahead == null && isLast) {
            isAtEnd = outcome == null || outcome.code() == 0;
            if (!isAtEnd) {
                throw outcome.failure();
            }
        }
    }

    private M poll() {
        try {
            return isClosed ? null : source.poll(prototype);
        } catch (RpcException e) {
            giveUp(e.code(), e.text());
            throw e;
        } catch (Throwable e) {
            String what = "a message cannot be decoded";
            Faults.warn(PolledReader.class, what, exchange, e);
            RpcException failure = new RpcException(RpcError.EINTERNAL, Faults.describe(what, e));
            giveUp(failure.code(), failure.text());
            throw failure;
        }
    }

    @Override
    public void listen(StreamListener<? super M> listener) {
        Objects.requireNonNull(listener, "listener");
        if (pump.isPresent()) {
            throw new IllegalStateException("reader: has a listener (expected: none)");
        }
        SerialTask task = new SerialTask(() -> deliver(listener), exchange.isCallbackInline());
        pump = Optional.of(task);
        task.run();
    }

    /** Passes on what there is. Run by one thread at a time. */
    private void deliver(StreamListener<? super M> listener) {
        try {
            while (!isAtEnd && !isPaused) {
                advance();
                if (ahead == null) {
                    break;
                }
                M message = ahead;
                ahead = null;
                listener.onMessage(message);
            }
            if (isAtEnd) {
                end(listener);
            }
        } catch (RpcException e) {
            isAtEnd = true;
            giveUp(e.code(), e.text());
            fail(listener, e);
        } catch (Throwable e) {
            isAtEnd = true;
            String what = Faults.describe("the listener failed", e);
            Faults.warn(PolledReader.class, "the listener failed", exchange, e);
            giveUp(RpcError.EINTERNAL.code(), what);
            fail(listener, new RpcException(RpcError.EINTERNAL, what));
        }
    }

    /** Reads no more, whether or not the call is over already. */
    private void giveUp(int code, String text) {
        exchange.cancel(code, text);
        drop();
    }

    private void end(StreamListener<? super M> listener) {
        if (!isToldOfEnd) {
            isToldOfEnd = true;
            listener.onEnd();
        }
    }

    private void fail(StreamListener<? super M> listener, RpcException failure) {
        if (isToldOfEnd) {
            return;
        }
        isToldOfEnd = true;
        try {
            listener.onFailure(failure);
        } catch (Throwable e) {
            Faults.warn(PolledReader.class, "the listener failed", exchange, e);
        }
    }

    @Override
    public void pause() {
        isPaused = true;
    }

    @Override
    public void resume() {
        isPaused = false;
        onReadable();
    }

    @Override
    public void close() {
        if (!isClosed) {
            drop();
            exchange.readerClosed();
            onReadable();
        }
    }

    /** The call was closed. A listener still gets what has arrived; nobody else will read it. */
    void dropUnread() {
        if (pump.isEmpty() || isPaused) {
            drop();
        }
    }

    /** Drops what has arrived and what will arrive. */
    void drop() {
        isClosed = true;
        source.close();
    }
}
