// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import io.verbena.memory.BlockPool;
import io.verbena.memory.IOBuf;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Takes responses out of the bytes of a connection, as {@link RequestCutter} does with requests.
 * Used by the connection's thread.
 */
final class ResponseCutter implements AutoCloseable {
    private static final byte[] VERSION = {'H', 'T', 'T', 'P', '/', '1', '.'};

    private final HttpLimits limits;
    private final LongSupplier maxBodyBytes;
    private final BlockPool pool;
    private final HeadScanner scanner;

    /** The response whose head was taken, or null between responses. */
    private ResponseHead head;

    /** Empty if the body ends with the connection. */
    private Optional<BodyFraming> framing = Optional.empty();

    private ChunkReader chunks;
    private IOBuf body;

    ResponseCutter(BlockPool pool, HttpLimits limits, LongSupplier maxBodyBytes) {
        this.limits = limits;
        this.maxBodyBytes = maxBodyBytes;
        this.pool = pool;
        this.scanner = new HeadScanner(limits, ResponseCutter::mayBegin);
        this.body = pool.buffer();
    }

    private static boolean mayBegin(byte[] bytes, int length) {
        int compared = Math.min(length, VERSION.length);
        return Arrays.equals(VERSION, 0, compared, bytes, 0, compared);
    }

    /**
     * {@return whether a response is complete; take it}
     *
     * @param received bytes that were not yet taken
     * @throws RefusedRequestException if this is no response; nothing more may be read then
     */
    boolean next(IOBuf received) throws RefusedRequestException {
        while (head == null) {
            int end = scanner.find(received);
            if (end == HeadScanner.NOT_YET) {
                return false;
            }
            if (end == HeadScanner.NOT_HTTP) {
                throw RefusedRequestException.bad("response: not HTTP/1");
            }
            ResponseHead next = HeadReader.readResponse(limits, scanner.bytes(), end);
            received.popFront(end);
            scanner.reset();
            if (!next.isInterim()) {
                begin(next);
            }
        }
        if (framing.isEmpty()) {
            takeUntilEnd(received);
            return false;
        }
        return switch (framing.get()) {
            case BodyFraming.Fixed(long length) -> takeBody(received, length);
            case BodyFraming.Chunked _ -> chunks.take(received);
        };
    }

    private void begin(ResponseHead next) throws RefusedRequestException {
        long most = maxBodyBytes.getAsLong();
        framing = BodyFraming.of(next, most);
        boolean isChunked = framing.filter(BodyFraming.Chunked.class::isInstance).isPresent();
        chunks = isChunked ? new ChunkReader(limits, most, body) : null;
        head = next;
    }

    private void takeUntilEnd(IOBuf received) throws RefusedRequestException {
        long most = maxBodyBytes.getAsLong();
        if (received.size() > most - body.size()) {
            throw BodyFraming.tooLarge(most);
        }
        received.cutInto(body, received.size());
    }

    private boolean takeBody(IOBuf received, long length) {
        if (received.size() < length) {
            return false;
        }
        received.cutInto(body, length);
        return true;
    }

    /** {@return whether the end of the connection completes a response; take it} */
    boolean isCompletedByEnd() {
        return head != null && framing.isEmpty();
    }

    /** {@return the response that is complete} The caller releases its memory. */
    HttpAnswer take() {
        HttpAnswer answer = new HttpAnswer(head, body);
        head = null;
        chunks = null;
        body = pool.buffer();
        return answer;
    }

    /** Releases the memory of an incomplete body. */
    @Override
    public void close() {
        body.close();
    }
}
