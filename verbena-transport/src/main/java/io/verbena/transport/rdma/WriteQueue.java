// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import io.verbena.memory.BlockPool;
import io.verbena.memory.IOBuf;
import io.verbena.memory.internal.Spares;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Bytes that were written and not yet posted, in order.
 *
 * <p>Threads: the thread inside the posting turn adds to {@code pending} itself. Others leave their
 * bytes in the inbox, a stack; the thread inside takes the whole stack and reverses it. The number
 * of waiting bytes is the difference of two counters that only grow: {@code written}, raised by
 * every writer, and {@code posted}, raised inside the turn.
 */
final class WriteQueue {
    /** Up to this size copying a write is cheaper than sending it as an element of its own. */
    private static final int MAX_COPIED = 512;

    private static final VarHandle INBOX;
    private static final VarHandle WRITTEN;
    private static final VarHandle POSTED;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            INBOX = lookup.findVarHandle(WriteQueue.class, "inbox", WriteCarrier.class);
            WRITTEN = lookup.findVarHandle(WriteQueue.class, "written", long.class);
            POSTED = lookup.findVarHandle(WriteQueue.class, "posted", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Spares<WriteCarrier> carriers;
    private final WriteCarrier closed;
    private final IOBuf pending;
    private final long mostUnwritten;
    private long lastWrite;

    @SuppressWarnings("unused") // accessed through INBOX
    private volatile WriteCarrier inbox;

    @SuppressWarnings("unused") // accessed through WRITTEN
    private volatile long written;

    private long posted;

    WriteQueue(BlockPool pool, long mostUnwritten) {
        this.carriers = new Spares<>(place -> new WriteCarrier(pool.buffer(), place));
        this.closed = new WriteCarrier(pool.buffer(), Spares.NO_PLACE);
        this.pending = pool.buffer();
        this.mostUnwritten = mostUnwritten;
    }

    /**
     * {@return whether bytes may be added now; if so, they are already counted} Any thread.
     *
     * @param bytes how many
     * @param beyondLimit how many more than usual may be waiting
     */
    boolean tryReserve(long bytes, long beyondLimit) {
        if (unwritten() - beyondLimit >= mostUnwritten) {
            return false;
        }
        WRITTEN.getAndAdd(this, bytes);
        return true;
    }

    /** Takes back a reservation whose bytes were not added. */
    void unreserve(long bytes) {
        WRITTEN.getAndAdd(this, -bytes);
    }

    /** {@return how many bytes are waiting} */
    long unwritten() {
        // posted is read first: in the opposite order, more could be posted than was seen written
        long gone = (long) POSTED.getAcquire(this);
        return Math.max(0, written - gone);
    }

    /** {@return how many bytes were posted} */
    long postedAcquire() {
        return (long) POSTED.getAcquire(this);
    }

    /** Takes over reserved bytes. Inside the turn. */
    void add(IOBuf data) {
        collect();
        append(data);
    }

    /**
     * Leaves reserved bytes to the thread inside the turn. The caller must enter the turn
     * afterwards, so that it sees them.
     *
     * @return false if the queue is closed; then the bytes are still the caller's
     */
    boolean tryLeave(IOBuf data) {
        WriteCarrier carrier = carriers.take();
        data.cutInto(carrier.bytes(), data.size());
        while (true) {
            WriteCarrier top = inbox;
            if (top == closed) {
                carrier.bytes().cutInto(data, carrier.bytes().size());
                carriers.giveBack(carrier.place());
                return false;
            }
            carrier.next(top);
            if (INBOX.compareAndSet(this, top, carrier)) {
                return true;
            }
        }
    }

    /** Takes over what other threads have left. Inside the turn. */
    void collect() {
        if (inbox == null || inbox == closed) {
            return;
        }
        appendAll((WriteCarrier) INBOX.getAndSet(this, null));
    }

    private void appendAll(WriteCarrier newest) {
        WriteCarrier oldest = null;
        for (WriteCarrier each = newest; each != null; ) {
            WriteCarrier next = each.next();
            each.next(oldest);
            oldest = each;
            each = next;
        }
        for (WriteCarrier each = oldest; each != null; ) {
            WriteCarrier next = each.next();
            append(each.bytes());
            carriers.giveBack(each.place());
            each = next;
        }
    }

    private void append(IOBuf data) {
        lastWrite = data.size();
        if (lastWrite > MAX_COPIED || pending.isEmpty() || !pending.tryAbsorb(data)) {
            data.cutInto(pending, lastWrite);
        }
    }

    /** {@return what waits, from the front} Inside the turn. */
    IOBuf pending() {
        return pending;
    }

    /** {@return whether this many more bytes reach the last write} Inside the turn. */
    boolean isLastWriteAfter(long bytes) {
        return pending.size() - bytes <= lastWrite;
    }

    /** Counts bytes as posted. Inside the turn. */
    void postRelease(long bytes) {
        POSTED.setRelease(this, posted + bytes);
    }

    /** Refuses more bytes and drops what there is. The turn is closed and empty. */
    void close() {
        WriteCarrier left = (WriteCarrier) INBOX.getAndSet(this, closed);
        if (left != closed) {
            appendAll(left);
        }
        pending.close();
        // dropped bytes no longer count as waiting; a late writer takes its own bytes back
        WRITTEN.setVolatile(this, posted);
    }
}
