// SPDX-License-Identifier: Apache-2.0
package io.verbena.tck;

import io.verbena.verbs.AccessFlag;
import io.verbena.verbs.CompletionChannel;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.ConnectionIdentifier;
import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.EventChannel;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import java.util.Locale;

/** One of every object that can be closed, all made from one context and none in use by another. */
final class Household implements AutoCloseable {
    /** The objects that can be closed. */
    enum Member {
        CONTEXT(DeviceContext.class, "context|device"),
        DOMAIN(ProtectionDomain.class, "domain"),
        REGION(MemoryRegion.class, "region"),
        QUEUE(CompletionQueue.class, "completionqueue"),
        CHANNEL(CompletionChannel.class, "completionchannel"),
        PAIR(QueuePair.class, "queuepair"),
        EVENT_CHANNEL(EventChannel.class, "eventchannel"),
        IDENTIFIER(ConnectionIdentifier.class, "identifier");

        private final Class<?> type;
        private final String words;

        Member(Class<?> type, String words) {
            this.type = type;
            this.words = words;
        }

        Class<?> type() {
            return type;
        }

        /** {@return whether a message names the object, in whatever spelling} */
        boolean isNamedIn(String message) {
            return message.replaceAll("[^A-Za-z]", "")
                    .toLowerCase(Locale.ROOT)
                    .matches(".*(" + words + ").*");
        }

        /** {@return whether closing this closes another} */
        boolean isParentOf(Member other) {
            return switch (this) {
                case CONTEXT -> other != CONTEXT;
                case DOMAIN -> other == REGION || other == PAIR;
                case CHANNEL -> other == QUEUE;
                case EVENT_CHANNEL -> other == IDENTIFIER;
                case REGION, QUEUE, PAIR, IDENTIFIER -> false;
            };
        }
    }

    private final DeviceContext context;
    private final ProtectionDomain domain;
    private final MemoryRegion region;
    private final CompletionChannel channel;
    private final CompletionQueue queue;
    private final QueuePair pair;
    private final EventChannel eventChannel;
    private final ConnectionIdentifier identifier;

    Household(DeviceContext opened) {
        context = opened;
        domain = context.allocateProtectionDomain();
        region = domain.allocate(4096, AccessFlag.values());
        channel = context.createCompletionChannel();
        queue = context.createCompletionQueue(16, channel, 0);
        // The pair has its own queue: a queue in use cannot be closed.
        pair = domain.createQueuePair(QueuePairOptions.of(context.createCompletionQueue(64)));
        eventChannel = context.createEventChannel();
        identifier = eventChannel.createIdentifier();
    }

    AutoCloseable get(Member member) {
        return switch (member) {
            case CONTEXT -> context;
            case DOMAIN -> domain;
            case REGION -> region;
            case QUEUE -> queue;
            case CHANNEL -> channel;
            case PAIR -> pair;
            case EVENT_CHANNEL -> eventChannel;
            case IDENTIFIER -> identifier;
        };
    }

    void close(Member member) {
        switch (member) {
            case CONTEXT -> context.close();
            case DOMAIN -> domain.close();
            case REGION -> region.close();
            case QUEUE -> queue.close();
            case CHANNEL -> channel.close();
            case PAIR -> pair.close();
            case EVENT_CHANNEL -> eventChannel.close();
            case IDENTIFIER -> identifier.close();
        }
    }

    DeviceContext context() {
        return context;
    }

    ProtectionDomain domain() {
        return domain;
    }

    MemoryRegion region() {
        return region;
    }

    CompletionQueue queue() {
        return queue;
    }

    CompletionChannel channel() {
        return channel;
    }

    QueuePair pair() {
        return pair;
    }

    EventChannel eventChannel() {
        return eventChannel;
    }

    ConnectionIdentifier identifier() {
        return identifier;
    }

    @Override
    public void close() {
        context.close();
    }
}
