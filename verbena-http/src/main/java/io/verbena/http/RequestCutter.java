// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import io.verbena.memory.BlockPool;
import io.verbena.memory.IOBuf;
import java.util.function.LongSupplier;

/**
 * Takes requests out of the bytes of a connection. Used by the connection's thread.
 *
 * <p>A head is taken as a whole, then the body. A body of known length is also taken as a whole, so
 * that it is not copied; chunks are taken as they arrive.
 */
final class RequestCutter implements AutoCloseable {
    /** What is at the front. */
    enum Result {
        /** A request; take it. */
        READY,
        /** Something that may become a request. */
        NEED_MORE,
        /** Not HTTP. */
        NOT_MINE,
        /**
         * A request whose client waits for permission to send the body. Reported once per request.
         */
        EXPECTS_CONTINUE
    }

    private final HttpLimits limits;
    private final LongSupplier maxBodyBytes;
    private final BlockPool pool;
    private final HeadScanner scanner;
    private boolean isAfterRequest;

    /** The request whose head was taken, or null between requests. */
    private HttpHead head;

    private BodyFraming framing;
    private ChunkReader chunks;
    private IOBuf body;
    private boolean isContinueDue;

    RequestCutter(BlockPool pool, HttpLimits limits, LongSupplier maxBodyBytes) {
        this.limits = limits;
        this.maxBodyBytes = maxBodyBytes;
        this.pool = pool;
        this.scanner = new HeadScanner(limits, HttpMethod::mayBegin);
        this.body = pool.buffer();
    }

    /**
     * {@return what is at the front}
     *
     * @param received bytes that were not yet taken
     * @throws RefusedRequestException if it cannot be answered as a request; nothing more may be
     *     read then
     */
    Result next(IOBuf received) throws RefusedRequestException {
        if (head == null) {
            Result result = takeHead(received);
            if (result != Result.READY) {
                return result;
            }
        }
        boolean isComplete =
                switch (framing) {
                    case BodyFraming.Fixed(long length) -> takeBody(received, length);
                    case BodyFraming.Chunked _ -> chunks.take(received);
                };
        if (isComplete) {
            return Result.READY;
        }
        if (isContinueDue) {
            isContinueDue = false;
            return Result.EXPECTS_CONTINUE;
        }
        return Result.NEED_MORE;
    }

    private boolean takeBody(IOBuf received, long length) {
        if (received.size() < length) {
            return false;
        }
        received.cutInto(body, length);
        return true;
    }

    private Result takeHead(IOBuf received) throws RefusedRequestException {
        if (isAfterRequest && scanner.isFresh() && isEmptyLine(received)) {
            return Result.NEED_MORE;
        }
        int end = scanner.find(received);
        if (end == HeadScanner.NOT_YET) {
            return Result.NEED_MORE;
        }
        if (end == HeadScanner.NOT_HTTP) {
            scanner.reset();
            return Result.NOT_MINE;
        }
        begin(HeadReader.read(limits, scanner.bytes(), end));
        received.popFront(end);
        scanner.reset();
        return Result.READY;
    }

    /**
     * Skips an empty line before a request: some clients send one after a body.
     *
     * @return whether there is nothing else yet
     */
    private static boolean isEmptyLine(IOBuf received) {
        byte[] front = new byte[(int) Math.min(2, received.size())];
        received.copyTo(0, front, 0, front.length);
        if (front[0] != '\r') {
            return false;
        }
        if (front.length == 2 && front[1] == '\n') {
            received.popFront(2);
        }
        return front.length < 2 || received.isEmpty();
    }

    private void begin(HttpHead next) throws RefusedRequestException {
        long most = maxBodyBytes.getAsLong();
        framing = BodyFraming.of(next, most);
        boolean isChunked = framing instanceof BodyFraming.Chunked;
        chunks = isChunked ? new ChunkReader(limits, most, body) : null;
        for (String expectation : next.headers().all("expect")) {
            if (!expectation.equalsIgnoreCase("100-continue")) {
                throw new RefusedRequestException(
                        HttpStatus.EXPECTATION_FAILED, "expect: other than 100-continue");
            }
            isContinueDue = next.minorVersion() > 0;
        }
        head = next;
    }

    /** {@return whether no part of a request has been taken} */
    boolean isBetweenRequests() {
        return head == null;
    }

    /** {@return the head of a request whose body is still arriving} Not between requests. */
    HttpHead pendingHead() {
        return head;
    }

    /** {@return how much of a body in chunks has been taken} */
    long takenBytes() {
        return body.size();
    }

    /** {@return the request that is ready} The caller releases its memory. */
    HttpRequest take() {
        HttpRequest request = new HttpRequest(head, body);
        head = null;
        chunks = null;
        isContinueDue = false;
        isAfterRequest = true;
        body = pool.buffer();
        return request;
    }

    /** Releases the memory of an incomplete body. */
    @Override
    public void close() {
        body.close();
    }
}
