// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.verbs;

import io.verbena.bench.measure.Measurement;

/**
 * What the two sides do with a pair. In each round both prepare; then the client drives and the
 * server serves; then both check that the data arrived, so that a device that loses some cannot
 * look fast.
 */
interface Traffic {
    /** {@return the traffic of a connected pair} */
    static Traffic of(SizedPair pair) {
        return switch (pair.station().plan().test()) {
            case SEND_LAT -> new SendPingPong(pair);
            case WRITE_LAT -> new WritePingPong(pair);
            case READ_LAT -> new ReadLatency(pair);
            case ATOMIC_LAT -> new AtomicLatency(pair);
            case SEND_BW -> new SendStream(pair);
            case WRITE_BW, READ_BW -> new OneSidedStream(pair);
        };
    }

    /** Both sides, before a round: prepares the memory and posts receives. */
    void prepare(int round);

    /** The client: makes the exchanges. {@return how long they took} */
    Measurement drive(int iterations);

    /** The server: does its part of the exchanges; nothing if only its device is needed. */
    void serve(int iterations);

    /** Both sides, after a round: throws if the data is not what it must be. */
    void verify(int round, int iterations);
}
