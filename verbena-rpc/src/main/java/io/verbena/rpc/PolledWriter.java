// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.Message;
import io.verbena.rpc.spi.MessageSink;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The writer of a call with streams, over what its protocol sends.
 *
 * @param <M> the messages' class
 */
final class PolledWriter<M extends Message> implements StreamWriter<M> {
    private final Exchange exchange;
    private final MessageSink sink;
    private final StreamSignal room = new StreamSignal();

    /** Held by a thread that waits for room: one at a time does. */
    private final ReentrantLock waiting = new ReentrantLock();

    /** Held for a moment. Taken under {@code waiting}. */
    private final ReentrantLock writing = new ReentrantLock();

    private volatile Optional<SerialTask> ready = Optional.empty();

    /** Guarded by {@code writing}. */
    private boolean isClosed;

    PolledWriter(Exchange exchange, MessageSink sink) {
        this.exchange = exchange;
        this.sink = sink;
    }

    /** There is room, or the call is over. */
    void onWritable() {
        room.signal();
        Optional<SerialTask> task = ready;
        if (task.isPresent()) {
            task.get().run();
        }
    }

    @Override
    public void write(M message) {
        if (!tryWrite(message)) {
            waiting.lock();
            try {
                writeLater(message);
            } finally {
                waiting.unlock();
            }
        }
    }

    private void writeLater(M message) {
        while (true) {
            StreamSignal.Wait wait = room.prepare(this::interrupted);
            if (tryWrite(message)) {
                room.forget();
                return;
            }
            room.await(wait, exchange.polled());
        }
    }

    private void interrupted() {
        exchange.cancel(RpcError.ECANCELED.code(), "the writer was interrupted");
    }

    @Override
    public boolean tryWrite(M message) {
        Objects.requireNonNull(message, "message");
        writing.lock();
        try {
            return tryWriteHere(message);
        } finally {
            writing.unlock();
        }
    }

    private boolean tryWriteHere(M message) {
        Exchange.Outcome outcome = exchange.outcome();
        if (outcome != null) {
            throw outcome.code() == 0
                    ? new RpcException(RpcError.ECANCELED, "the call is over")
                    : outcome.failure();
        }
        if (isClosed) {
            throw new IllegalStateException("stream: closed by this side (expected: open)");
        }
        try {
            return sink.tryWrite(message);
        } catch (RpcException e) {
            exchange.cancel(e.code(), e.text());
            throw e;
        }
    }

    @Override
    public void onReady(Runnable action) {
        Objects.requireNonNull(action, "action");
        ready = Optional.of(new SerialTask(action, exchange.isCallbackInline()));
    }

    @Override
    public void close() {
        writing.lock();
        try {
            if (!isClosed) {
                isClosed = true;
                if (exchange.outcome() == null) {
                    sink.close();
                }
            }
        } finally {
            writing.unlock();
        }
        room.signal();
    }
}
