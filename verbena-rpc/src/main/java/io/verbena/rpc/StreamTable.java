// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongFunction;

/**
 * The streams of a connection by their ids. An id is a number that no stream of the process had
 * before, followed by the place in this table: an id of another connection, or of a stream that has
 * ended, finds nothing.
 *
 * <p>Threads: the connection's finds; any adds and removes.
 */
final class StreamTable {
    private static final int PLACE_BITS = 20;
    private static final int PLACE_MASK = (1 << PLACE_BITS) - 1;
    private static final int FIRST_SIZE = 8;
    private static final AtomicLong NEXT = new AtomicLong(1);

    /** Replaced when it grows. Elements are changed under the monitor. */
    private volatile SocketStream[] places = new SocketStream[FIRST_SIZE];

    private int used;
    private int[] free = new int[FIRST_SIZE];
    private int freeCount;

    /** {@return a new stream, made with its id} */
    synchronized SocketStream add(LongFunction<SocketStream> maker) {
        if (freeCount == 0 && used > PLACE_MASK) {
            throw new RpcException(RpcError.ELIMIT, "streams of a connection: " + used);
        }
        int place = freeCount > 0 ? free[--freeCount] : used++;
        SocketStream[] grown = places;
        if (place >= grown.length) {
            grown = Arrays.copyOf(grown, grown.length * 2);
        }
        SocketStream stream = maker.apply(NEXT.getAndIncrement() << PLACE_BITS | place);
        grown[place] = stream;
        places = grown; // publishes the element too
        return stream;
    }

    /** {@return a stream, or null if there is none with that id} */
    SocketStream find(long id) {
        SocketStream[] seen = places;
        int place = (int) id & PLACE_MASK;
        SocketStream stream = place < seen.length ? seen[place] : null;
        return stream != null && stream.id() == id ? stream : null;
    }

    synchronized void remove(SocketStream stream) {
        int place = (int) stream.id() & PLACE_MASK;
        SocketStream[] now = places;
        if (place < now.length && now[place] == stream) {
            now[place] = null;
            places = now;
            if (freeCount == free.length) {
                free = Arrays.copyOf(free, freeCount * 2);
            }
            free[freeCount++] = place;
        }
    }

    synchronized int count() {
        return used - freeCount;
    }

    synchronized List<SocketStream> all() {
        List<SocketStream> found = new ArrayList<>();
        for (SocketStream stream : places) {
            if (stream != null) {
                found.add(stream);
            }
        }
        return found;
    }
}
