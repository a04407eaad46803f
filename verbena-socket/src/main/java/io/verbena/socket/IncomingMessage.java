// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A message that was received. A large one stays where the device put it, and counts as unread
 * until it is closed; a small one is a copy.
 *
 * <p>Ownership: close it. Threads: one at a time.
 */
public final class IncomingMessage implements AutoCloseable {
    private final MemorySegment memory;
    private final int flag;
    private final Runnable release;
    private final AtomicBoolean isClosed = new AtomicBoolean();

    IncomingMessage(MemorySegment memory, int flag, Runnable release) {
        this.memory = memory.asReadOnly();
        this.flag = flag;
        this.release = release;
    }

    /** {@return its bytes; valid until it is closed} */
    public MemorySegment memory() {
        if (isClosed.get()) {
            throw new IllegalStateException("the message is closed");
        }
        return memory;
    }

    /** {@return how many bytes it has} */
    public int length() {
        return (int) memory.byteSize();
    }

    /** {@return whether more frames of the same group follow} */
    public boolean hasMore() {
        return (flag & MetaData.MORE) != 0;
    }

    /** {@return a copy of its bytes} */
    public byte[] toByteArray() {
        return memory().toArray(ValueLayout.JAVA_BYTE);
    }

    @Override
    public void close() {
        if (isClosed.compareAndSet(false, true)) {
            release.run();
        }
    }
}
