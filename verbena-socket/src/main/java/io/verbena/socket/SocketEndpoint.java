// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

import io.verbena.completion.Faults;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.WorkCompletion;
import io.verbena.verbs.WorkCompletionStatus;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.net.ProtocolException;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * One end of a connection, as the event loop sees it: handles completions, lets both directions
 * advance, and ends the connection when the peer breaks the protocol or goes away.
 *
 * <p>Threads: the holder of the loop's turn, unless a method says otherwise.
 */
final class SocketEndpoint {
    /** Called inside the turn when there may be something to read, or nothing more will come. */
    interface Readiness {
        void onReadable();
    }

    /** A receive that completed before both sides were known to agree. */
    private record Early(int slot, int length, boolean hasImmediate, int immediate) {}

    private final EventLoop loop;
    private final CompletionPort port;
    private final long owner;
    private final Departure departure;
    private final OutgoingMemory outgoing;
    private final CallList.Entry<SocketEndpoint> call = new CallList.Entry<>(this);
    private final Inbox inbox = new Inbox();
    private final Returns returns = new Returns(ReceiveSlots.greeting().credits());
    private final ReceiveSlots slots;
    private final NumberedSends queue;
    private final Outflow outflow;
    private final Intake intake;
    private final List<Early> early = new ArrayList<>();
    private final SocketWaiter sender;
    private boolean isMade;
    private boolean isSpoiled;

    /** It has failed, and there was no memory to say why. */
    private boolean isUnexplained;

    private volatile Readiness readiness = () -> {};
    private volatile Agreement agreement;
    private volatile IOException failure;
    private volatile boolean isPeerClosed;
    private volatile boolean isLeaving;
    private volatile boolean isEnded;
    private volatile boolean isOutputDone;

    SocketEndpoint(
            EventLoop loop,
            CompletionPort port,
            long owner,
            Departure departure,
            QueuePair pair,
            MessageMemory memory,
            SocketOptions options) {
        this.loop = loop;
        this.port = port;
        this.owner = owner;
        this.sender = new SocketWaiter(loop);
        this.departure = departure;
        this.outgoing = new OutgoingMemory(memory);
        this.slots = new ReceiveSlots(pair, loop.requests(), memory, owner);
        this.queue = new NumberedSends(pair, loop.requests(), owner);
        this.outflow = new Outflow(queue, returns);
        this.intake = new Intake(inbox, slots, queue, memory, returns, options);
    }

    /** Posts the first receives: before the peer can send. */
    void start(Compatibility offered) {
        port.occupy(owner, this);
        if (offered == Compatibility.NATIVE) {
            slots.postForFrames();
        } else {
            slots.postForMetaData();
        }
    }

    /** Both sides have agreed on a protocol; receives that came before are handled now. */
    void agree(Agreement reached, Compatibility offered) {
        if (!reached.isNative() && offered == Compatibility.NATIVE) {
            slots.postForMetaData();
        }
        intake.agree(reached);
        outflow.agree(reached);
        agreement = reached;
        for (Early one : early) {
            onReceive(one.slot, one.length, one.hasImmediate, one.immediate);
        }
        early.clear();
        advance();
    }

    /**
     * The connection manager has reported that the connection is established; from now on it may
     * end.
     */
    void onMade() {
        isMade = true;
        if (isSpoiled) {
            depart();
        }
    }

    long owner() {
        return owner;
    }

    CallList.Entry<SocketEndpoint> call() {
        return call;
    }

    /** Lets it advance soon. Any thread. */
    void callLoop() {
        loop.call(this);
    }

    void onCompletion(WorkCompletion completion) {
        long id = completion.id();
        int kind = WorkId.kind(id);
        if (completion.statusCode() != WorkCompletionStatus.SUCCESS.code()) {
            onFailedCompletion(kind, completion);
            return;
        }
        if (kind == WorkId.RECEIVE) {
            onReceive(
                    WorkId.number(id),
                    completion.length(),
                    completion.hasImmediate(),
                    completion.immediate());
            return;
        }
        outflow.onCompletion(queue.onCompletion(kind, WorkId.number(id)));
        if (kind == WorkId.READ) {
            intake.onReadDone();
        }
    }

    private void onFailedCompletion(int kind, WorkCompletion completion) {
        if (kind == WorkId.RECEIVE) {
            departure.onFlushed();
        }
        if (completion.status() != WorkCompletionStatus.WORK_REQUEST_FLUSHED && !isPeerClosed) {
            fail(
                    new SocketException(
                            (kind == WorkId.READ ? "reading a message" : "sending")
                                    + " failed: "
                                    + completion.status()));
        }
        leave();
    }

    private void onReceive(int slot, int length, boolean hasImmediate, int immediate) {
        if (agreement == null) {
            early.add(new Early(slot, length, hasImmediate, immediate));
            return;
        }
        try {
            if (hasImmediate) {
                onFrame(slot, length, immediate);
            } else {
                onMetaData(slot, length);
            }
        } catch (ProtocolException e) {
            breach(e);
        } catch (VerbsException e) {
            fail(new IOException("the device refused: " + e.getMessage(), e));
        }
    }

    private void onFrame(int slot, int length, int immediate) throws ProtocolException {
        if (!agreement.isNative()) {
            throw new ProtocolException("a frame (expected: control messages only)");
        }
        if (length == 0) {
            slots.post(slot);
        } else {
            refuseAfterClose();
            intake.onFrame(slot, length);
        }
        outflow.onReturns(immediate);
    }

    private void onMetaData(int slot, int length) throws ProtocolException {
        if (length != MetaData.BYTES) {
            throw new ProtocolException(
                    "control message: " + length + " bytes (expected: " + MetaData.BYTES + ")");
        }
        MemorySegment memory = slots.segment(slot);
        int at = slots.offset(slot);
        int type = MetaData.type(memory, at);
        switch (type) {
            case MetaData.ACK ->
                    outflow.onAck(MetaData.address(memory, at), MetaData.cookie(memory, at));
            case MetaData.NORMAL -> {
                refuseAfterClose();
                intake.onNormal(memory, at);
            }
            case MetaData.CLOSE -> isPeerClosed = true;
            default -> throw new ProtocolException("type: " + type + " (expected: 14, 15 or 16)");
        }
        slots.post(slot);
    }

    private void refuseAfterClose() throws ProtocolException {
        if (isPeerClosed) {
            throw new ProtocolException("a message after CLOSE (expected: nothing)");
        }
    }

    /**
     * Lets both directions advance, and tells those who wait. What goes wrong ends this one, and
     * nothing is thrown.
     */
    void advance() {
        try {
            if (agreement != null && !isLeaving) {
                move();
            }
            if (outflow.isClosed()) {
                isOutputDone = true;
            }
            // publish the changes above before looking for a thread that waits for them
            VarHandle.fullFence();
            if (intake.takeNews() || isPeerClosed || isEnded) {
                readiness.onReadable();
            }
        } catch (Throwable e) { // even an undeclared one: others must not suffer
            onFault(e);
        }
        sender.signal();
    }

    private void move() {
        intake.advance();
        outflow.flush();
        if (agreement.isNative() && returns.areDue() && queue.mayControl()) {
            queue.sendControl(returns.take());
        }
        if (intake.isStarved()) {
            loop.onStarved(this);
        }
    }

    /** Something was thrown that concerns this connection alone. Throws nothing. */
    void onFault(Throwable cause) {
        fail("the connection failed", cause);
    }

    /** Its completion queue has failed: no more completions will come. Throws nothing. */
    void onQueueFailure(Throwable cause) {
        fail("its completion queue failed", cause);
        departure.onFlushed();
        advance();
    }

    private void breach(ProtocolException breach) {
        fail(new IOException("the peer broke the protocol: " + breach.getMessage(), breach));
    }

    /** A reader has found nonsense in a frame. Any thread. */
    void onNonsense(ProtocolException found) {
        loop.inTurn(
                () -> {
                    breach(found);
                    advance();
                });
    }

    /** Even a throwable that cannot be printed ends it, and so does one without any memory. */
    private void fail(String what, Throwable cause) {
        try {
            fail(new IOException(Faults.describe(what, cause), cause));
        } catch (Throwable e) {
            isUnexplained = true;
            leave();
            Faults.warn(SocketEndpoint.class, what, this, e);
        }
    }

    private void fail(IOException cause) {
        if (failure == null) {
            failure = cause;
        }
        leave();
    }

    /**
     * Departs, unless the connection is still being made: closing the identifier while a thread
     * waits for its event would lose the reason of the failure.
     */
    private void leave() {
        if (isMade) {
            depart();
        } else {
            isSpoiled = true;
        }
    }

    /** Starts the end of the connection, once. Any thread. */
    void depart() {
        isLeaving = true;
        departure.start(this);
    }

    /** Waits until the queue pair is gone. The user's thread. */
    void awaitEnd() {
        departure.awaitEnd(this);
    }

    /** The queue pair is gone: nothing more will come. Throws nothing. */
    void end() {
        port.vacate(owner);
        if (failure == null && !isPeerClosed && !isUnexplained) {
            failure = gone();
        }
        if (outflow.isSettled()) {
            isOutputDone = true;
        }
        isEnded = true;
        advance();
    }

    /** {@return the usual reason of an end, or null if there is no memory for it} */
    private static IOException gone() {
        try {
            return new SocketException("the peer went away without closing");
        } catch (OutOfMemoryError e) {
            return null;
        }
    }

    /** For diagnosis: where both directions stand. */
    @Override
    public String toString() {
        return outflow + "; " + intake + "; leaving " + isLeaving + ", ended " + isEnded;
    }

    EventLoop loop() {
        return loop;
    }

    /** {@return where its completions arrive} */
    CompletionPort port() {
        return port;
    }

    /** Starts sending from an outbox; called once. The user's thread. */
    void open(Outbox outbox) {
        outflow.open(outbox);
    }

    /** Sends CLOSE after everything else. The user's thread. */
    void close() {
        loop.inTurn(
                () -> {
                    outflow.close();
                    advance();
                });
    }

    /**
     * {@return whether CLOSE and everything before it has reached the peer, or never will} Any
     * thread.
     */
    boolean isOutputOver() {
        return isEnded || isOutputDone;
    }

    /** {@return whether CLOSE and everything before it has reached the peer} Any thread. */
    boolean isOutputDone() {
        return isOutputDone;
    }

    /** Gives back all memory; it has ended, and its user is gone. */
    void release() {
        // in a loop that has ended, nobody else uses them
        if (!loop.inTurn(this::releaseMemory)) {
            releaseMemory();
        }
    }

    private void releaseMemory() {
        outflow.release();
        intake.release();
        outgoing.close();
    }

    void readiness(Readiness told) {
        readiness = told;
    }

    SocketWaiter sender() {
        return sender;
    }

    /** {@return memory for what its peer will read} Any thread. */
    OutgoingMemory outgoing() {
        return outgoing;
    }

    Inbox inbox() {
        return inbox;
    }

    ReceiveSlots slots() {
        return slots;
    }

    Intake intake() {
        return intake;
    }

    Agreement agreement() {
        return agreement;
    }

    /** {@return why it failed, if it did} Any thread. */
    Optional<IOException> failure() {
        return Optional.ofNullable(failure);
    }

    /** {@return the exception for a user whose connection is lost} Any thread. */
    IOException lost() {
        return failure()
                .map(
                        cause ->
                                new IOException(
                                        "the connection is lost: " + cause.getMessage(), cause))
                .orElseGet(() -> new SocketException("the connection is lost"));
    }

    boolean isPeerClosed() {
        return isPeerClosed;
    }

    boolean isLeaving() {
        return isLeaving;
    }

    boolean isEnded() {
        return isEnded;
    }
}
