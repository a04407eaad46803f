// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.memory.IOBuf;
import io.verbena.transport.Connection;
import io.verbena.transport.TransportException;
import java.util.Arrays;

/**
 * Writes frames to a connection. Frames that the connection's own thread writes while it handles
 * received data are collected and written together: many small frames become one message.
 *
 * <p>Threads: any may write. Only the thread that called {@link #cork} finds itself in {@code
 * owner}, so that field needs no ordering.
 */
final class CorkedWriter {
    /** Collecting longer frames gains nothing. */
    private static final int MAX_FRAME = 4096;

    /** Up to this size copying a frame is cheaper than sending it as a piece of its own. */
    private static final int MAX_COPIED = 1024;

    /**
     * Collected bytes are written at this size even if more frames are coming. With all frames of a
     * pass in one message, client and server would take turns working and waiting for each other:
     * with 64 small calls at a time, this size has 1.6 times the rate of 32 KiB.
     */
    private static final int MAX_CORKED = 2048;

    private static final int FIRST_CAPACITY = 16;

    /** Notified of frames that were collected but could not be written. */
    @FunctionalInterface
    interface Loss {
        /**
         * A frame is lost. The listener may write.
         *
         * @param id the id passed to {@link #write}
         * @param reason why it is lost
         */
        void onLost(long id, TransportException reason);
    }

    /** How frames that were collected are written. */
    @FunctionalInterface
    interface Output {
        /**
         * Writes frames.
         *
         * @param connection where to
         * @param frames are emptied
         * @throws TransportException if they cannot be written
         */
        void write(Connection connection, IOBuf frames);
    }

    private final IOBuf corked;
    private final Output output;
    private final Loss loss;
    private Thread owner;
    private long[] ids = new long[FIRST_CAPACITY];
    private int count;

    CorkedWriter(IOBuf corked, Output output, Loss loss) {
        this.corked = corked;
        this.output = output;
        this.loss = loss;
    }

    /** Starts collecting what this thread writes. */
    void cork() {
        owner = Thread.currentThread();
    }

    /** {@return whether what this thread writes is collected} */
    boolean isCorkedHere() {
        return Thread.currentThread().equals(owner);
    }

    /**
     * Stops collecting and writes what was collected.
     *
     * @param connection the connection to write to
     */
    void uncork(Connection connection) {
        // Before the flush: a listener that is notified of a loss may write again, and nothing
        // would flush that.
        owner = null;
        flush(connection);
    }

    /**
     * Writes a frame now, or collects it.
     *
     * @param connection the connection to write to
     * @param frame is emptied
     * @param id reported if the frame is collected and later cannot be written
     * @throws TransportException if it cannot be written; the frame is then unchanged
     */
    void write(Connection connection, IOBuf frame, long id) {
        if (!tryCollect(connection, frame, id)) {
            connection.write(frame);
        }
    }

    /**
     * Like {@link #write}, but a frame that is not collected here may still leave a moment later.
     *
     * @param connection the connection to write to
     * @param frame is emptied
     * @param id reported if the frame is collected and later cannot be written
     * @throws TransportException if it cannot be written; the frame is then unchanged
     */
    void writeSoon(Connection connection, IOBuf frame, long id) {
        if (!tryCollect(connection, frame, id)) {
            connection.writeSoon(frame);
        }
    }

    /**
     * Writes a frame now, or collects it.
     *
     * @param connection the connection to write to
     * @param builder has built the frame
     * @param id reported if the frame is collected and later cannot be written
     * @param isSoonEnough as for {@link #writeSoon}
     * @throws TransportException if it cannot be written; the frame is then unchanged
     */
    void write(Connection connection, FrameBuilder builder, long id, boolean isSoonEnough) {
        if (isCorkedHere() && builder.tryMoveTo(corked)) {
            onCollected(connection, id);
        } else if (isSoonEnough) {
            writeSoon(connection, builder.frame(), id);
        } else {
            write(connection, builder.frame(), id);
        }
    }

    private boolean tryCollect(Connection connection, IOBuf frame, long id) {
        // A frame of one piece is our own. Others may refer to the user's memory, which the
        // transport may refuse; collected frames must not be lost with it.
        if (!isCorkedHere() || frame.size() > MAX_FRAME || frame.pieces() > 1) {
            return false;
        }
        if (frame.size() > MAX_COPIED || !corked.tryAbsorb(frame)) {
            frame.cutInto(corked, frame.size());
        }
        onCollected(connection, id);
        return true;
    }

    private void onCollected(Connection connection, long id) {
        if (count == ids.length) {
            ids = Arrays.copyOf(ids, count * 2);
        }
        ids[count++] = id;
        if (corked.size() > MAX_CORKED) {
            flush(connection);
        }
    }

    private void flush(Connection connection) {
        int written = count;
        if (written == 0) {
            return;
        }
        count = 0;
        try {
            output.write(connection, corked);
        } catch (TransportException e) {
            corked.clear();
            // A listener that writes reuses only entries that were reported already.
            for (int i = 0; i < written; i++) {
                loss.onLost(ids[i], e);
            }
        }
    }
}
