// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import io.verbena.memory.BlockPool;
import io.verbena.memory.IOBuf;
import io.verbena.rpc.spi.ServerConnection;
import io.verbena.rpc.spi.ServerProtocol;
import io.verbena.rpc.spi.ServerProtocol.Outcome;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/**
 * HTTP on one connection: reads requests and puts each in the order of answers. The connection's
 * thread, except for {@link #answerLate}.
 */
final class HttpSession implements ServerProtocol.Parser {
    private final BlockPool pool;
    private final HttpLimits limits;
    private final RequestCutter cutter;
    private final ResponseQueue queue;
    private final RequestRouter router;

    /** Held while requests are read, or given up. Guards what follows. */
    private final ReentrantLock reading = new ReentrantLock();

    private boolean isEnding;

    /** Whether a part of a request has arrived, and the rest has not. */
    private boolean isWaiting;

    private boolean isHeadChecked;

    HttpSession(ServerConnection connection, HttpProtocol protocol, HttpLimits limits) {
        this.pool = connection.server().pool();
        this.limits = limits;
        this.cutter = new RequestCutter(pool, limits, () -> connection.server().maxBodyBytes());
        this.queue = new ResponseQueue(connection);
        this.router = new RequestRouter(connection, protocol);
    }

    /** Reads all requests that have arrived, so that immediate answers are sent together. */
    @Override
    public Outcome consume(IOBuf received) {
        reading.lock();
        try {
            Outcome outcome = consumeAll(received);
            isWaiting = !isEnding && (!received.isEmpty() || !cutter.isBetweenRequests());
            return outcome;
        } finally {
            reading.unlock();
        }
    }

    private Outcome consumeAll(IOBuf received) {
        long before = received.size();
        queue.hold();
        try {
            Outcome outcome = Outcome.CONSUMED;
            while (!isEnding && outcome == Outcome.CONSUMED && !received.isEmpty()) {
                outcome = consumeNext(received);
            }
            if (isEnding) {
                received.clear();
            }
            // A part of a request counts as consumed: the rest of it must come here as well.
            return received.size() < before ? Outcome.CONSUMED : outcome;
        } finally {
            queue.release();
        }
    }

    private Outcome consumeNext(IOBuf received) {
        try {
            switch (cutter.next(received)) {
                case NOT_MINE -> {
                    return Outcome.NOT_MINE;
                }
                case NEED_MORE -> {
                    return onIncomplete(received);
                }
                case EXPECTS_CONTINUE -> queue.add(HttpExchange.interim(queue, pool));
                case READY -> onRequest(cutter.take());
            }
        } catch (RefusedRequestException e) {
            refuse(e.status(), e.getMessage());
        }
        return Outcome.CONSUMED;
    }

    /** Credentials come before the body, so a large one is not collected for a stranger. */
    private Outcome onIncomplete(IOBuf received) {
        if (isHeadChecked
                || cutter.isBetweenRequests()
                || received.size() + cutter.takenBytes() < HttpLimits.STRANGER_BYTES) {
            return Outcome.NEED_MORE;
        }
        isHeadChecked = true;
        Optional<HttpResponse> refusal = router.refusal(cutter.pendingHead());
        refusal.ifPresent(this::refuse);
        return refusal.isPresent() ? Outcome.CONSUMED : Outcome.NEED_MORE;
    }

    @Override
    public boolean isBetweenMessages() {
        reading.lock();
        try {
            return isEnding || cutter.isBetweenRequests();
        } finally {
            reading.unlock();
        }
    }

    private void onRequest(HttpRequest request) {
        isHeadChecked = false;
        if (queue.size() >= limits.maxUnanswered()) {
            request.body().close();
            refuse(
                    HttpStatus.SERVICE_UNAVAILABLE,
                    "requests: more than " + limits.maxUnanswered() + " without an answer");
            return;
        }
        HttpExchange exchange = new HttpExchange(queue, pool, request.head());
        queue.add(exchange);
        isEnding = exchange.isLast();
        router.route(request, exchange);
    }

    /** Answers, and reads nothing more: it is unknown where the next request begins. */
    private void refuse(HttpStatus status, String text) {
        refuse(HttpResponse.text(status, text, pool));
    }

    private void refuse(HttpResponse response) {
        isEnding = true;
        HttpExchange last = HttpExchange.last(queue, pool);
        queue.add(last);
        last.answer(response);
    }

    /** While the connection's thread is reading, nothing is answered: the rest may be arriving. */
    @Override
    public boolean answerLate(String why) {
        if (!reading.tryLock()) {
            return true;
        }
        try {
            if (isWaiting) {
                isWaiting = false;
                refuse(HttpStatus.REQUEST_TIMEOUT, why);
            }
            return true;
        } finally {
            reading.unlock();
        }
    }

    @Override
    public void onClose() {
        reading.lock();
        try {
            isWaiting = false;
        } finally {
            reading.unlock();
        }
        cutter.close();
        queue.close();
    }
}
