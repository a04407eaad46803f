// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.rpc.spi.StreamEvents;
import io.verbena.transport.Connection;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A call with streams: what its reader and its writer have in common. It is over once, for one
 * reason, which may come from the peer, the connection, the clock or either side's program.
 *
 * <p>Threads: any.
 */
abstract class Exchange implements StreamEvents {
    /** How a call ended; code 0 means that it succeeded. */
    record Outcome(int code, String text) {
        RpcException failure() {
            return new RpcException(code, text);
        }
    }

    /** Made in advance, for when there is no memory to say how a call ended. */
    private static final Outcome UNKNOWN =
            new Outcome(RpcError.EINTERNAL.code(), "out of memory at the end of the call");

    private final AtomicBoolean isEnding = new AtomicBoolean();

    /** Null until the call is over. */
    private volatile Outcome outcome;

    /** Null while the call has no reader, or none yet. */
    private volatile PolledReader<?> reader;

    private volatile PolledWriter<?> writer;

    final void reader(PolledReader<?> value) {
        reader = value;
    }

    final void writer(PolledWriter<?> value) {
        writer = value;
    }

    /** {@return how the call ended, or null if it is not over} */
    final Outcome outcome() {
        return outcome;
    }

    /** {@return whether the call is over, or just about to be} */
    final boolean isEnding() {
        return isEnding.get();
    }

    @Override
    public final void onReadable() {
        PolledReader<?> present = reader;
        if (present != null) {
            present.onReadable();
        }
    }

    @Override
    public final void onWritable() {
        PolledWriter<?> present = writer;
        if (present != null) {
            present.onWritable();
        }
    }

    @Override
    public final void onOver(int code, String text) {
        tryEnd(code, text);
    }

    /** {@return whether this ended the call} */
    final boolean tryEnd(int code, String text) {
        Outcome ending = outcome(code, text);
        if (!isEnding.compareAndSet(false, true)) {
            return false;
        }
        try {
            ended(ending);
        } finally {
            outcome = ending;
            onReadable();
            onWritable();
        }
        return true;
    }

    private static Outcome outcome(int code, String text) {
        try {
            return new Outcome(code, text);
        } catch (OutOfMemoryError e) {
            return UNKNOWN;
        }
    }

    /** This side's program, or the clock, gives up the call: what has arrived is dropped too. */
    final void cancel(int code, String text) {
        if (tryEnd(code, text)) {
            PolledReader<?> present = reader;
            if (present != null) {
                present.drop();
            }
        }
    }

    /** The call is over. Called once, before its reader and writer know. */
    abstract void ended(Outcome how);

    /** {@return what threads that wait may poll} */
    abstract Optional<Connection> polled();

    /** {@return whether callbacks run on the thread that reports events} */
    abstract boolean isCallbackInline();

    /** The reader wants no more messages. */
    abstract void readerClosed();
}
