// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import io.verbena.memory.BlockPool;
import io.verbena.memory.BlockPoolOptions;
import io.verbena.memory.IOBuf;
import io.verbena.memory.LeakTracking;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Feeds bytes to a cutter, and describes the result as text. */
final class Wire implements AutoCloseable {
    static final long MAX_BODY = 1 << 16;
    static final HttpLimits LIMITS = new HttpLimits(200, 500, 5, 16);

    private final BlockPool pool =
            BlockPool.unregistered(
                    BlockPoolOptions.DEFAULT
                            .withSizesMb(32, 32)
                            .withLeakTracking(LeakTracking.SIMPLE));
    private IOBuf received = pool.buffer();
    private RequestCutter cutter = new RequestCutter(pool, LIMITS, () -> MAX_BODY);

    /** {@return what becomes of bytes: requests as {@code GET /path body}, refusals as numbers} */
    List<String> send(byte[] bytes, int from, int to) {
        received.append(bytes, from, to - from);
        List<String> seen = new ArrayList<>();
        try {
            while (!received.isEmpty()) {
                switch (cutter.next(received)) {
                    case READY -> seen.add(describe(cutter.take()));
                    case EXPECTS_CONTINUE -> seen.add("100");
                    case NEED_MORE -> {
                        return seen;
                    }
                    case NOT_MINE -> {
                        seen.add("not mine");
                        received.clear();
                    }
                }
            }
        } catch (RefusedRequestException e) {
            seen.add(String.valueOf(e.status().code()));
            forget();
        }
        return seen;
    }

    List<String> send(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
        return send(bytes, 0, bytes.length);
    }

    /** {@return the same, one byte after the other} */
    List<String> sendByteByByte(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
        List<String> seen = new ArrayList<>();
        for (int i = 0; i < bytes.length; i++) {
            seen.addAll(send(bytes, i, i + 1));
        }
        return seen;
    }

    long bytesHeld() {
        return received.size();
    }

    private static String describe(HttpRequest request) {
        try (IOBuf body = request.body()) {
            String line = request.head().method() + " " + request.head().target().path();
            return body.isEmpty() ? line : line + " " + body.toText();
        }
    }

    /** The connection is closed, and another begins. */
    void forget() {
        received.clear();
        cutter.close();
        cutter = new RequestCutter(pool, LIMITS, () -> MAX_BODY);
    }

    /** Fails if memory is missing. */
    @Override
    public void close() {
        forget();
        if (!pool.outstanding().isEmpty()) {
            throw new AssertionError("blocks are missing: " + pool.outstanding());
        }
        pool.close();
    }
}
