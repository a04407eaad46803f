// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who is next: the senders that have something, in a circle. A sender gives way after a quantum of
 * messages or bytes; a group goes through in one piece.
 *
 * <p>Frames of a group that is not whole are held, within {@link GroupLimits}. If all of them
 * together are too much, one sender is privileged: it alone goes on until its group is through.
 *
 * <p>Threads: whoever receives, one at a time.
 */
final class Lineup {
    private static final Logger LOG = LoggerFactory.getLogger(Lineup.class);

    private final GroupLimits limits;
    private final Consumer<Member> onGone;
    private final ArrayDeque<Member> ready = new ArrayDeque<>();
    private final ArrayDeque<Member> held = new ArrayDeque<>();
    private Optional<Member> group = Optional.empty();
    private Optional<Member> privileged = Optional.empty();
    private long heldBytes;

    /**
     * Nobody there.
     *
     * @param limits what may be held
     * @param onGone who is told that a sender is gone and all it had sent delivered
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

    /** Hands over one message; {@return false if nobody has a whole one} */
    boolean deliver(MessageHandler handler) {
        while (true) {
            if (group.isPresent()) {
                deliverOfGroup(group.get(), handler);
                return true;
            }
            Member member = ready.peek();
            if (member == null) {
                return false;
            }
            if (serve(member, handler)) {
                return true;
            }
        }
    }

    private void deliverOfGroup(Member member, MessageHandler handler) {
        heldBytes -= member.deliverHeld(handler);
        if (!member.holdsFrames()) {
            endGroup(member);
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

    /** {@return whether a message was handed over} */
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

    /** What a sender had sent of a group is delivered though the rest will never come. */
    private void onOver(Member member) {
        if (member.holdsFrames()) {
            group = Optional.of(member);
            return;
        }
        ready.remove();
        member.queued(false);
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

    /** {@return the bytes held of groups that are not whole} */
    long heldBytes() {
        return heldBytes;
    }
}
