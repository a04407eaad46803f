// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.completion.Faults;
import io.verbena.memory.BlockPool;
import io.verbena.memory.IOBuf;
import io.verbena.transport.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/** The bytes of a stream as programs see them: read by a handler, or by a thread that waits. */
final class CallByteStream implements ByteStream, StreamWatcher {
    private final BlockPool pool;
    private final StreamTimer timer;
    private final ByteStreamOptions options;
    private final StreamSignal arrivals = new StreamSignal();
    private final StreamSignal room = new StreamSignal();
    private final ReentrantLock waiting = new ReentrantLock();
    private final Optional<SerialTask> pump;
    private volatile Optional<SerialTask> ready = Optional.empty();

    /** Supplies the stream of the connection, or null while there is none. */
    private Supplier<SocketStream> stream = () -> null;

    /** Supplies why it, or the call that opens it, failed; null if it did not. */
    private Supplier<RpcException> failure = () -> null;

    /** Closes the stream of the connection, also if there is none yet. */
    private Runnable closing = () -> {};

    /** Drops what has arrived and will arrive, also if there is no stream yet. */
    private Runnable dropping = () -> {};

    /** Whether waiting threads may poll: on a server they could run other services. */
    private boolean isClient;

    private volatile boolean isClosedHere;
    private volatile boolean isEnded;

    /**
     * Why it ended, as it was told, which on a server may be before it knows its stream; null if it
     * did not fail. Written before {@code isEnded}.
     */
    private volatile RpcException endReason;

    /** Whether somebody looks for silence: any thread may be the first that can write. */
    private final AtomicBoolean isIdleWatched = new AtomicBoolean();

    /** Whether the handler is to hear that nothing arrives. */
    private volatile boolean isSilent;

    private final AtomicLong messages = new AtomicLong();
    private boolean isHandlerDone;

    CallByteStream(BlockPool pool, StreamTimer timer, ByteStreamOptions options) {
        this.pool = pool;
        this.timer = timer;
        this.options = options;
        this.pump = options.handler().map(handler -> new SerialTask(() -> deliver(handler), false));
    }

    /** A client's: it is opened by a call. */
    void openedBy(RequestStreams.Slot slot) {
        stream = slot::stream;
        failure = slot::failure;
        closing = slot::close;
        dropping = slot::drop;
        isClient = true;
    }

    /** A server's. */
    void accepted(SocketStream accepted) {
        stream = () -> accepted;
        failure = accepted::failure;
        closing = accepted::close;
        dropping = accepted::drop;
    }

    @Override
    public long id() {
        SocketStream bound = stream.get();
        return bound == null ? 0 : bound.id();
    }

    @Override
    public void onReadable() {
        if (pump.isPresent()) {
            pump.get().run();
        } else {
            arrivals.signal();
        }
    }

    @Override
    public void onWritable() {
        room.signal();
        Optional<SerialTask> action = ready;
        if (action.isPresent()) {
            action.get().run();
        }
        if (options.idleTimeoutMs() >= 0
                && !isClosed()
                && isIdleWatched.compareAndSet(false, true)) {
            planIdle(messages.get());
        }
    }

    private void planIdle(long seen) {
        var _ =
                timer.schedule(
                        TimeUnit.MILLISECONDS.toNanos(options.idleTimeoutMs()), () -> onIdle(seen));
    }

    private void onIdle(long seen) {
        // closed here is enough: if no call has carried it, nothing else ends it
        if (isClosed()) {
            return;
        }
        long now = messages.get();
        if (now == seen && pump.isPresent()) {
            isSilent = true;
            pump.get().run();
        }
        planIdle(now);
    }

    @Override
    public void onEnded(Optional<RpcException> reason) {
        endReason = reason.orElse(null);
        isEnded = true;
        onReadable();
        onWritable();
    }

    @Override
    public boolean tryWrite(IOBuf message) {
        SocketStream bound = stream.get();
        RpcException reason = failure();
        if (reason != null) {
            throw new RpcException(reason.code(), reason.text());
        }
        if (isClosedHere) {
            throw new RpcException(RpcError.EEOF, "the stream is closed");
        }
        return bound != null && bound.tryWrite(message);
    }

    @Override
    public void write(IOBuf message) {
        if (tryWrite(message)) {
            return;
        }
        waiting.lock();
        try {
            while (true) {
                StreamSignal.Wait wait = room.prepare(this::close);
                if (tryWrite(message)) {
                    room.forget();
                    return;
                }
                room.await(wait, polled());
            }
        } finally {
            waiting.unlock();
        }
    }

    @Override
    public void onWritable(Runnable action) {
        ready = Optional.of(new SerialTask(action, false));
    }

    @Override
    public boolean read(IOBuf target) {
        if (pump.isPresent()) {
            throw new IllegalStateException("stream: has a handler (expected: none)");
        }
        while (!tryRead(target)) {
            StreamSignal.Wait wait = arrivals.prepare(this::close);
            // asked before the look: what arrived before the end is there
            boolean isLast = isEnded || isClosedHere;
            if (tryRead(target)) {
                arrivals.forget();
                return true;
            }
            if (isLast) {
                arrivals.forget();
                return atEnd();
            }
            consumed(0);
            arrivals.await(wait, polled());
        }
        return true;
    }

    private boolean tryRead(IOBuf target) {
        int size = poll(target);
        if (size < 0) {
            return false;
        }
        consumed(size);
        return true;
    }

    private Optional<Connection> polled() {
        SocketStream bound = stream.get();
        return bound == null || !isClient
                ? Optional.empty()
                : Optional.of(bound.host().connection());
    }

    private boolean atEnd() {
        RpcException reason = failure();
        if (reason != null) {
            throw new RpcException(reason.code(), reason.text());
        }
        return false;
    }

    /** {@return why it failed, or null if it did not} */
    private RpcException failure() {
        RpcException known = failure.get();
        return known == null ? endReason : known;
    }

    private int poll(IOBuf target) {
        SocketStream bound = stream.get();
        return bound == null ? -1 : bound.poll(target);
    }

    private void consumed(long bytes) {
        SocketStream bound = stream.get();
        if (bound != null) {
            bound.consumed(bytes);
        }
    }

    /** Passes on what there is, in batches. Run by one thread at a time. */
    private void deliver(ByteStreamHandler handler) {
        boolean isLast;
        do {
            isLast = isEnded || isClosedHere;
        } while (tryDeliver(handler));
        consumed(0);
        if (isSilent && !isLast) {
            isSilent = false;
            tellIdle(handler);
        }
        if (isLast && !isHandlerDone) {
            isHandlerDone = true;
            end(handler);
        }
    }

    private void tellIdle(ByteStreamHandler handler) {
        try {
            handler.onIdle(this);
        } catch (Throwable e) {
            fault(e);
        }
    }

    private boolean tryDeliver(ByteStreamHandler handler) {
        List<IOBuf> batch = new ArrayList<>();
        long bytes = 0;
        try {
            while (batch.size() < options.messagesInBatch()) {
                IOBuf message = pool.buffer();
                int size = poll(message);
                if (size < 0) {
                    break;
                }
                batch.add(message);
                bytes += size;
            }
            if (!batch.isEmpty() && !isHandlerDone) {
                messages.addAndGet(batch.size());
                handler.onMessages(this, batch);
            }
        } catch (Throwable e) {
            fault(e);
        } finally {
            batch.forEach(IOBuf::close);
        }
        consumed(bytes);
        return !batch.isEmpty();
    }

    private void fault(Throwable thrown) {
        Faults.warn(CallByteStream.class, "the handler of a stream failed", this, thrown);
        SocketStream bound = stream.get();
        if (bound != null) {
            bound.fail(RpcError.EINTERNAL.code(), Faults.describe("the handler failed", thrown));
        }
    }

    private void end(ByteStreamHandler handler) {
        try {
            RpcException reason = failure();
            if (reason != null) {
                handler.onFailed(this, reason);
            }
        } finally {
            handler.onClosed(this);
        }
    }

    @Override
    public boolean isClosed() {
        return isEnded || isClosedHere;
    }

    @Override
    public void close() {
        isClosedHere = true;
        closing.run();
        if (pump.isEmpty()) {
            dropping.run();
        }
        onReadable();
        onWritable();
    }

    @Override
    public String toString() {
        return "stream " + id();
    }
}
