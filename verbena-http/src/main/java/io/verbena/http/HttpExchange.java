// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import io.verbena.completion.Faults;
import io.verbena.memory.BlockPool;
import io.verbena.memory.IOBuf;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;

/** A request and its place in its connection's order of answers. Answered once, by any thread. */
final class HttpExchange {
    private final ResponseQueue queue;
    private final boolean isHeadOnly;
    private final boolean isKeepAlive;
    private final int minorVersion;

    /** The answer as bytes; written before {@code isAnswered}, read after it. */
    private final IOBuf bytes;

    private boolean holdsServer;
    private boolean isLost;
    private volatile boolean isAnswered;

    HttpExchange(ResponseQueue queue, BlockPool pool, HttpHead head) {
        this(
                queue,
                pool,
                head.method() == HttpMethod.HEAD,
                head.isKeepAlive(),
                head.minorVersion());
    }

    private HttpExchange(
            ResponseQueue queue,
            BlockPool pool,
            boolean isHeadOnly,
            boolean isKeepAlive,
            int minorVersion) {
        this.queue = queue;
        this.isHeadOnly = isHeadOnly;
        this.isKeepAlive = isKeepAlive;
        this.minorVersion = minorVersion;
        this.bytes = pool.buffer();
    }

    /** {@return an exchange for a request that could not be read; the last of its connection} */
    static HttpExchange last(ResponseQueue queue, BlockPool pool) {
        return new HttpExchange(queue, pool, false, false, 1);
    }

    /** {@return an interim answer that asks the client for the body of its request} */
    static HttpExchange interim(ResponseQueue queue, BlockPool pool) {
        HttpExchange exchange = new HttpExchange(queue, pool, false, true, 1);
        exchange.bytes.append("HTTP/1.1 " + line(HttpStatus.CONTINUE) + "\r\n");
        exchange.isAnswered = true;
        return exchange;
    }

    /** Sends an answer once those before it are sent. Called once. Never throws. */
    void answer(HttpResponse response) {
        try (IOBuf body = response.body()) {
            encode(response, body);
        } catch (Throwable e) {
            Faults.warn(HttpExchange.class, "an answer is lost", response.status(), e);
            abandon();
            return;
        }
        isAnswered = true;
        queue.flush();
    }

    /**
     * There will be no answer, so the connection ends here. Called once, instead of {@link
     * #answer}.
     */
    void abandon() {
        bytes.clear();
        isLost = true;
        isAnswered = true;
        queue.flush();
    }

    private void encode(HttpResponse response, IOBuf body) {
        StringBuilder head = new StringBuilder("HTTP/1.1 ").append(line(response.status()));
        header(head, "Date", DateTimeFormatter.RFC_1123_DATE_TIME.format(now()));
        head.append(SecurityHeaders.LINES);
        response.headers().forEach((name, value) -> header(head, name, value));
        header(head, "Content-Length", Long.toString(body.size()));
        if (!isKeepAlive) {
            header(head, "Connection", "close");
        } else if (minorVersion == 0) {
            header(head, "Connection", "keep-alive");
        }
        bytes.append(head.append("\r\n").toString());
        if (!isHeadOnly) {
            body.cutInto(bytes, body.size());
        }
    }

    private static ZonedDateTime now() {
        return ZonedDateTime.now(ZoneOffset.UTC);
    }

    private static String line(HttpStatus status) {
        return status.code() + " " + status.reason() + "\r\n";
    }

    private static void header(StringBuilder head, String name, String value) {
        head.append(name).append(": ").append(value).append("\r\n");
    }

    /** Sets whether a stopping server waits for the answer. Called before it is in the queue. */
    void holdsServer(boolean value) {
        holdsServer = value;
    }

    boolean holdsServer() {
        return holdsServer;
    }

    boolean isAnswered() {
        return isAnswered;
    }

    boolean isLast() {
        return isLost || !isKeepAlive;
    }

    /** {@return the answer} */
    IOBuf bytes() {
        return bytes;
    }
}
