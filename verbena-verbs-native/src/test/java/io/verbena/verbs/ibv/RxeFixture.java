// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.ibv;

import io.verbena.tck.Quirk;
import io.verbena.tck.VerbsFixture;
import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.Devices;
import io.verbena.verbs.GidEntry;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Set;

/** The kernel's soft-RoCE device of the lab as the conformance suite sees it. */
enum RxeFixture implements VerbsFixture {
    /** Both ends on one device. */
    INSTANCE;

    private static final String NAME = "rxe0";

    @Override
    public DeviceContext openInitiator() {
        return Devices.open(NAME);
    }

    @Override
    public DeviceContext openTarget() {
        return Devices.open(NAME);
    }

    @Override
    public Set<Quirk> quirks() {
        return Set.of(
                Quirk.OVERSIZED_SEND_REPORTED_AS_OPERATION_ERROR,
                Quirk.GRH_FLAG_ON_EVERY_RECEIVE,
                Quirk.RETRY_COUNT_SEVEN_IS_INFINITE,
                Quirk.FORBIDDEN_WRITE_ENDS_RECEIVE_WITH_REMOTE_ACCESS,
                Quirk.BAD_LOCAL_KEY_REPORTED_AS_OPERATION_ERROR,
                Quirk.MISALIGNED_ATOMIC_REFUSED_WHEN_POSTED,
                Quirk.HELD_SENDS_WAIT_FOR_THE_NEXT_POST,
                Quirk.DRAIN_ALWAYS_REPORTED,
                Quirk.SEND_OVERFLOW_SPARES_THE_QUEUE_PAIR,
                Quirk.RECEIVE_QUEUE_LONGER_THAN_GRANTED,
                Quirk.RECEIVE_POSTED_IN_ERROR_STAYS,
                Quirk.SOLICITED_ONLY_FLUSHED_ERRORS,
                Quirk.READ_WITHOUT_RESOURCES_STALLS,
                Quirk.BAD_RECEIVE_REPORTED_AS_OPERATION_ERROR,
                Quirk.ATOMIC_LENGTH_UNCHECKED,
                Quirk.MESSAGE_LENGTH_UNCHECKED);
    }

    /** The connection manager binds to the address behind the device's identifier. */
    @Override
    public InetAddress address() {
        try (DeviceContext context = openInitiator()) {
            int index = context.defaultGidIndex(1);
            GidEntry entry =
                    context.queryGids(1).stream()
                            .filter(candidate -> candidate.index() == index)
                            .findFirst()
                            .orElseThrow();
            byte[] gid = entry.gid().toBytes();
            return InetAddress.getByAddress(Arrays.copyOfRange(gid, 12, 16));
        } catch (UnknownHostException e) {
            throw new AssertionError("four bytes are an address", e);
        }
    }

    @Override
    public int slowness() {
        return 20;
    }

    /** The guest is emulated, ten to twenty times slower than its host. */
    @Override
    public Duration patience() {
        return Duration.ofSeconds(60);
    }
}
