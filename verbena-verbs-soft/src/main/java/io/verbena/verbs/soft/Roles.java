// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairOptions;

/** The two queues of a queue pair and the three roles that work on them. */
final class Roles {
    private final SendQueue sends;
    private final ReceiveQueue receives;
    private final Requester requester;
    private final Completer completer;
    private final Responder responder;

    Roles(QueuePairEngine engine, QueuePairOptions options, DomainMemory memory) {
        this.sends =
                new SendQueue(
                        options.maxSendRequests(),
                        options.maxSendElements(),
                        options.maxInlineBytes(),
                        options.signalAll(),
                        memory);
        this.receives =
                new ReceiveQueue(options.maxReceiveRequests(), options.maxReceiveElements());
        this.requester = new Requester(sends, memory);
        this.completer = new Completer(engine, sends, requester, memory);
        this.responder = new Responder(engine, receives, completer, memory);
        requester.completer(completer);
    }

    SendQueue sends() {
        return sends;
    }

    ReceiveQueue receives() {
        return receives;
    }

    Requester requester() {
        return requester;
    }

    Completer completer() {
        return completer;
    }

    Responder responder() {
        return responder;
    }

    void configure(QueuePairAttributes settings) {
        responder.settings(
                settings.access(), settings.maxDestinationReadAtomic(), settings.minRnrTimer());
        completer.rnrRetry(settings.rnrRetry());
        requester.maxReadAtomic(settings.maxReadAtomic());
    }

    void open(Outbound outbound) {
        requester.open(outbound);
        completer.open(outbound);
    }

    /** {@return whether a request is outstanding or partly published} */
    boolean isRequestWaiting() {
        return completer.done() < requester.next() || requester.isMidMessage();
    }

    /** Forgets requests, receives and the connection. */
    void reset() {
        requester.reset();
        completer.reset();
        responder.reset();
        sends.reset();
        receives.reset();
    }
}
