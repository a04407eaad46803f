// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.net.ProtocolException;
import java.util.Optional;

/**
 * Puts what arrives into the inbox, reads announced messages as far as the reader leaves room, and
 * acknowledges to the peer what was read.
 *
 * <pre>
 *   acknowledged <= done <= started <= added        numbers of inbox entries that only grow
 *                          started <= reclaimed + READ_AHEAD
 * </pre>
 *
 * <p>Threads: the holder of the loop's turn; the reader calls {@link #onReleased}.
 */
final class Intake {
    /**
     * How many entries ahead of the reader messages are read. Together with all that a peer may
     * announce beyond them, they fit in the inbox.
     */
    private static final int READ_AHEAD = Inbox.CAPACITY - Agreement.SEED_CREDITS - 8;

    private static final VarHandle UNREAD;

    static {
        try {
            UNREAD = MethodHandles.lookup().findVarHandle(Intake.class, "unreadBytes", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Inbox inbox;
    private final ReceiveSlots slots;
    private final NumberedSends queue;
    private final MessageMemory memory;
    private final Returns returns;
    private final int maxMessageBytes;
    private final long maxUnreadBytes;
    private boolean isNative;
    private int credits;
    private int readDepth;
    private int unreturned;
    private int readsUnderWay;
    private long started;
    private long done;
    private long acknowledged;
    private long reclaimed;
    private boolean isStarved;
    private boolean hasNews;

    /** Bytes of messages that were read and not released; both sides change it. */
    private volatile long unreadBytes;

    Intake(
            Inbox inbox,
            ReceiveSlots slots,
            NumberedSends queue,
            MessageMemory memory,
            Returns returns,
            SocketOptions options) {
        this.inbox = inbox;
        this.slots = slots;
        this.queue = queue;
        this.memory = memory;
        this.returns = returns;
        this.maxMessageBytes = options.maxMessageBytes();
        this.maxUnreadBytes = options.maxUnreadBytes();
    }

    void agree(Agreement agreement) {
        isNative = agreement.isNative();
        credits = isNative ? ReceiveSlots.greeting().credits() : Agreement.SEED_CREDITS;
        readDepth = agreement.readDepth();
    }

    /** A frame with messages has arrived in a slot. */
    void onFrame(int slot, int length) throws ProtocolException {
        countCredit();
        hasNews = true;
        inbox.next().frame(slot, length);
        inbox.addRelease();
    }

    /** A message waits to be read. */
    void onNormal(MemorySegment segment, long at) throws ProtocolException {
        countCredit();
        long length = MetaData.length(segment, at);
        if (length < 0 || length > maxMessageBytes) {
            throw new ProtocolException(
                    "length: " + length + " (expected: 0.." + maxMessageBytes + ")");
        }
        inbox.next()
                .message(
                        (int) length,
                        MetaData.flag(segment, at),
                        MetaData.address(segment, at),
                        MetaData.cookie(segment, at),
                        MetaData.rkey(segment, at));
        inbox.addRelease();
    }

    private void countCredit() throws ProtocolException {
        if (++unreturned > credits) {
            throw new ProtocolException(
                    "messages: "
                            + unreturned
                            + " unacknowledged (expected: at most "
                            + credits
                            + ")");
        }
    }

    void advance() {
        reclaim();
        start();
        if (!isNative) {
            acknowledge();
        }
    }

    /** Takes back what the reader has consumed. */
    private void reclaim() {
        long consumed = inbox.consumedAcquire();
        for (; reclaimed < consumed; reclaimed++) {
            InboxEntry entry = inbox.entry(reclaimed);
            if (entry.isFrame()) {
                slots.post(entry.slot);
                unreturned--;
                returns.oweCredit();
            }
        }
    }

    /** Starts to read announced messages, in order. */
    private void start() {
        isStarved = false;
        for (; started < inbox.added(); started++) {
            InboxEntry entry = inbox.entry(started);
            if (!entry.isFrame() && !tryStart(entry)) {
                return;
            }
            skipDone();
        }
        skipDone();
    }

    private boolean tryStart(InboxEntry entry) {
        if (started >= reclaimed + READ_AHEAD) {
            return false;
        }
        if (entry.length == 0) {
            hasNews = true;
            entry.readyRelease();
            return true;
        }
        if (readsUnderWay >= readDepth || queue.isFull() || !fits(entry.length)) {
            return false;
        }
        Optional<Payload> target = memory.tryIncoming(entry.length);
        isStarved = target.isEmpty();
        if (isStarved) {
            return false;
        }
        entry.payload = target.get();
        UNREAD.getAndAdd(this, (long) entry.length);
        readsUnderWay++;
        queue.read(entry);
        return true;
    }

    /** One message is always allowed, however long: otherwise it would never arrive. */
    private boolean fits(int length) {
        long unread = unreadBytes;
        return unread == 0 || unread + length <= maxUnreadBytes;
    }

    /** The oldest read is done. */
    void onReadDone() {
        readsUnderWay--;
        hasNews = true;
        inbox.entry(done).readyRelease();
        if (isNative) {
            unreturned--;
            returns.oweRead();
        }
        skipDone();
    }

    private void skipDone() {
        while (done < started && inbox.entry(done).isReady()) {
            done++;
        }
    }

    /** Acknowledges to a peer of the older protocol, message by message. */
    private void acknowledge() {
        for (; acknowledged < done && !queue.isFull(); acknowledged++) {
            MetaData.writeAck(queue.metaData(), inbox.entry(acknowledged));
            queue.sendMetaData();
            unreturned--;
        }
    }

    @Override
    public String toString() {
        return "in: acknowledged "
                + acknowledged
                + ", done "
                + done
                + ", started "
                + started
                + ", added "
                + inbox.added()
                + ", reclaimed "
                + reclaimed
                + ", unreturned "
                + unreturned
                + ", reads "
                + readsUnderWay
                + ", unread "
                + unreadBytes;
    }

    /** {@return whether something became readable since the last call} */
    boolean takeNews() {
        boolean had = hasNews;
        hasNews = false;
        return had;
    }

    /** {@return whether a message waits for memory} */
    boolean isStarved() {
        return isStarved;
    }

    /** The reader has released the memory of a message. */
    void onReleased(int length) {
        UNREAD.getAndAdd(this, (long) -length);
    }

    /** {@return the bytes of messages that were read and not yet released} */
    long unreadBytes() {
        return unreadBytes;
    }

    /** Gives back all memory; neither device nor reader uses it any more. */
    void release() {
        for (long i = inbox.consumedAcquire(); i < inbox.added(); i++) {
            InboxEntry entry = inbox.entry(i);
            if (!entry.isFrame() && entry.payload != null) {
                entry.payload.release();
                entry.payload = null;
            }
        }
        slots.release();
    }
}
