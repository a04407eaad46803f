// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides which sender is next: the senders that have something take turns, round robin. A sender
 * yields after a quantum of messages or bytes; a group is delivered in one piece.
 *
 * <p>Frames of an incomplete group are held, within {@link GroupLimits}. If all of them together
 * are too much, one sender is privileged: it alone continues until its group has been delivered.
 *
 * <p>What it delivers stays valid although the socket of its sender is closed meanwhile: it takes
 * the sender's reader, and keeps it until another sender is next, there is nothing to deliver, or
 * the receiving thread calls {@link #leave}.
 *
 * <p>Threads: the receiving thread, one at a time.
 */
final class Lineup {
    private static final Logger LOG = LoggerFactory.getLogger(Lineup.class);

    private final GroupLimits limits;
    private final Consumer<Member> onGone;
    private final ArrayDeque<Member> ready = new ArrayDeque<>();
    private final ArrayDeque<Member> held = new ArrayDeque<>();
    private Optional<Member> current = Optional.empty();
    private Optional<Member> group = Optional.empty();
    private Optional<Member> privileged = Optional.empty();
    private long heldBytes;

    /**
     * Creates an empty lineup.
     *
     * @param limits what may be held
     * @param onGone called when a sender is gone and everything it had sent is delivered
     */
    Lineup(GroupLimits limits, Consumer<Member> onGone) {
        this.limits = limits;
        this.onGone = onGone;
    }

    /** A sender may have something. */
    void add(Member member) {
        if (member.queued(true)) {
            ready.add(member);
        }
    }

    /** Delivers one message; {@return false if no sender has a complete one} */
    boolean deliver(MessageHandler handler) {
        while (true) {
            Member member = group.isPresent() ? group.get() : ready.peek();
            if (member == null) {
                leave();
                return false;
            }
            if (!enter(member)) {
                onClosed(member);
            } else if (group.isPresent()) {
                deliverOfGroup(member, handler);
                return true;
            } else if (serve(member, handler)) {
                return true;
            }
        }
    }

    /** {@return whether this thread may read from a sender; false if its socket is closed} */
    private boolean enter(Member member) {
        if (current.isPresent() && current.get().equals(member)) {
            return true;
        }
        leave();
        if (!member.tryTake()) {
            return false;
        }
        current = Optional.of(member);
        return true;
    }

    /** Lets a socket that is closed give back its memory. Call it before waiting for anything. */
    void leave() {
        Optional<Member> left = current;
        current = Optional.empty();
        left.ifPresent(Member::giveBack);
    }

    /** Its socket was closed on this side: what it had sent is dropped. */
    private void onClosed(Member member) {
        heldBytes -= member.heldBytes();
        member.dropHeld();
        endGroup(member);
        ready.remove(member);
        member.queued(false);
        onGone.accept(member);
    }

    private void deliverOfGroup(Member member, MessageHandler handler) {
        long before = member.heldBytes();
        try {
            member.deliverHeld(handler);
        } finally {
            heldBytes -= before - member.heldBytes();
            if (!member.holdsFrames()) {
                endGroup(member);
            }
        }
    }

    private void endGroup(Member member) {
        group = Optional.empty();
        if (privileged.filter(member::equals).isPresent()) {
            privileged = Optional.empty();
        }
        for (Member waiting = held.poll(); waiting != null; waiting = held.poll()) {
            add(waiting);
        }
    }

    /** {@return whether a message was delivered} */
    private boolean serve(Member member, MessageHandler handler) {
        if (!member.isReadable()) {
            onNothingToRead(member);
            return false;
        }
        try {
            member.open();
        } catch (IOException e) {
            LOG.info("{} is cut: {}", member.socket(), e.toString());
            onOver(member);
            return false;
        }
        if (member.isMoreToCome()) {
            hold(member);
            return false;
        }
        if (member.holdsFrames()) {
            heldBytes += member.cost();
            member.hold();
            group = Optional.of(member);
            return false;
        }
        member.deliver(handler);
        if (member.isServed()) {
            ready.remove();
            ready.add(member);
        }
        return true;
    }

    private void onNothingToRead(Member member) {
        if (member.isOver()) {
            onOver(member);
        } else {
            ready.remove();
            member.queued(false);
        }
    }

    /** Delivers what a sender had sent of a group, although the rest will never come. */
    private void onOver(Member member) {
        if (member.holdsFrames()) {
            group = Optional.of(member);
            return;
        }
        ready.remove();
        member.queued(false);
        // who drops it need not wait for this thread
        leave();
        onGone.accept(member);
    }

    private void hold(Member member) {
        long cost = member.cost();
        if (member.heldBytes() + cost > limits.maxGroupBytes()) {
            LOG.warn(
                    "{} is cut: its group has more than {} bytes",
                    member.socket(),
                    limits.maxGroupBytes());
            member.socket().endpoint().depart();
            onOver(member);
            return;
        }
        if (heldBytes + cost > limits.maxHeldBytes()) {
            if (privileged.isEmpty()) {
                privileged = Optional.of(member);
            } else if (!privileged.get().equals(member)) {
                ready.remove();
                member.queued(false);
                held.add(member);
                return;
            }
        }
        heldBytes += cost;
        member.hold();
    }

    /** {@return the bytes held of incomplete groups} */
    long heldBytes() {
        return heldBytes;
    }
}
