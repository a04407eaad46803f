// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.bench;

/**
 * What the two sides do with a lane. In each round both prepare; then the client drives and the
 * server serves; then both check that the data arrived, so that a device that loses some cannot
 * look fast.
 */
interface Traffic {
    /** {@return the traffic of a lane; the lane is connected} */
    static Traffic of(Lane lane) {
        return switch (lane.station().plan().test()) {
            case SEND_LAT -> new SendPingPong(lane);
            case WRITE_LAT -> new WritePingPong(lane);
            case READ_LAT -> new ReadLatency(lane);
            case ATOMIC_LAT -> new AtomicLatency(lane);
            case SEND_BW -> new SendStream(lane);
            case WRITE_BW, READ_BW -> new OneSidedStream(lane);
        };
    }

    /** Both sides, before a round: puts the memory into its first state, posts receives. */
    void prepare(int round);

    /** The client: makes the exchanges. {@return how long they took} */
    Measurement drive(int iterations);

    /** The server: does its part of the exchanges; nothing if only its device is needed. */
    void serve(int iterations);

    /** Both sides, after a round: throws if the data is not what it must be. */
    void verify(int round, int iterations);
}
