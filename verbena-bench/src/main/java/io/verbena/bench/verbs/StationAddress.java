// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.verbs;

import io.verbena.tools.ToolException;
import io.verbena.verbs.Gid;
import java.nio.ByteBuffer;

/**
 * What one side must know about the other.
 *
 * @param gid its global identifier
 * @param lid its local identifier
 * @param packetSequenceNumber the first packet sequence number of its queue pairs
 * @param mtuCode the largest path MTU it can use
 * @param readsStarted how many reads and atomics it can have outstanding
 * @param readsAnswered how many it can answer at once
 * @param outgoingAddress where messages are sent from, and where reads find their data
 * @param outgoingRkey its remote key
 * @param incomingAddress where messages arrive
 * @param incomingRkey its remote key
 */
record StationAddress(
        Gid gid,
        int lid,
        int packetSequenceNumber,
        int mtuCode,
        int readsStarted,
        int readsAnswered,
        long outgoingAddress,
        int outgoingRkey,
        long incomingAddress,
        int incomingRkey) {
    private static final int LENGTH = 16 + 5 * Integer.BYTES + 2 * (Long.BYTES + Integer.BYTES);

    byte[] encode() {
        return ByteBuffer.allocate(LENGTH)
                .put(gid.toBytes())
                .putInt(lid)
                .putInt(packetSequenceNumber)
                .putInt(mtuCode)
                .putInt(readsStarted)
                .putInt(readsAnswered)
                .putLong(outgoingAddress)
                .putInt(outgoingRkey)
                .putLong(incomingAddress)
                .putInt(incomingRkey)
                .array();
    }

    static StationAddress decode(byte[] bytes) {
        if (bytes.length != LENGTH) {
            throw new ToolException(
                    "length of the peer's address: "
                            + bytes.length
                            + " (expected: "
                            + LENGTH
                            + ")");
        }
        ByteBuffer in = ByteBuffer.wrap(bytes);
        byte[] gid = new byte[16];
        in.get(gid);
        return new StationAddress(
                Gid.of(gid),
                in.getInt(),
                in.getInt(),
                in.getInt(),
                in.getInt(),
                in.getInt(),
                in.getLong(),
                in.getInt(),
                in.getLong(),
                in.getInt());
    }
}
