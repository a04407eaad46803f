// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.ibv;

import io.verbena.verbs.Errno;
import io.verbena.verbs.VerbsException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * An {@code rdma_event_channel} that never blocks. One thread takes its events; any thread may
 * create identifiers.
 */
final class CmChannel {
    private static final String CREATE = "rdma_create_event_channel";
    private static final Path CHARACTER_DEVICE = Path.of("/dev/infiniband/rdma_cm");
    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final long address;

    private CmChannel(long address) {
        this.address = address;
    }

    /** {@return a new channel} */
    static CmChannel create() {
        if (Rdmacm.problem().isPresent()) {
            throw new VerbsException(
                    CREATE,
                    Errno.ENODEV,
                    Rdmacm.problem().get() + "; on Debian: apt install librdmacm1");
        }
        try (NativeCall call = NativeCall.begin()) {
            long channel = Rdmacm.rdma_create_event_channel(call);
            if (channel == 0) {
                throw call.failure(CREATE, advice(CHARACTER_DEVICE, call.errno()));
            }
            return new CmChannel(channel);
        }
    }

    /**
     * {@return what to do when no channel can be created}
     *
     * @param device the kernel's connection manager
     * @param errno why not
     */
    static String advice(Path device, int errno) {
        if (Files.notExists(device)) {
            return device
                    + " is missing; load its module (modprobe rdma_ucm), or start the container"
                    + " with --device="
                    + device;
        }
        return switch (errno) {
            case Errno.EACCES, Errno.EPERM ->
                    "no permission for " + device + "; change its mode, or run as another user";
            case Errno.ENODEV ->
                    "librdmacm sees no RDMA device; look at 'rdma link', and in a container pass"
                            + " all of /dev/infiniband";
            default -> device + " cannot be opened";
        };
    }

    int descriptor() {
        return RdmacmLayout.EVENT_CHANNEL_FD.getInt(RdmacmLayout.EVENT_CHANNEL.at(address));
    }

    /**
     * {@return the address of a new {@code rdma_cm_id} that reports here}
     *
     * @param key comes with its events
     */
    long createIdentifier(long key) {
        try (NativeCall call = NativeCall.begin()) {
            MemorySegment id = call.allocateWord();
            int portSpace = RdmacmLayout.RDMA_PS_TCP.value();
            if (Rdmacm.rdma_create_id(call, address, id.address(), key, portSpace) != 0) {
                throw call.failure("rdma_create_id", "port space TCP");
            }
            return id.get(ValueLayout.JAVA_LONG, 0);
        }
    }

    /**
     * {@return the next event, copied and acknowledged, or empty if there is none}
     *
     * <p>{@code rdma_destroy_id} blocks while an event of its identifier has been taken but not
     * acknowledged. It only ever waits for this method, which takes no lock and waits for nothing
     * between the two. So it never waits long, whatever locks its caller holds. The copy must be
     * complete before the acknowledgement, which frees the event and releases the identifier.
     */
    Optional<CmEvent> next(NativeCall call, MemorySegment word) {
        if (Rdmacm.rdma_get_cm_event(call, address, word.address()) != 0) {
            if (call.errno() != Errno.EAGAIN) {
                // Most likely out of memory: some will be given back after a while.
                LockSupport.parkNanos(this, RETRY_NANOS);
            }
            return Optional.empty();
        }
        long event = word.get(ValueLayout.JAVA_LONG, 0);
        try {
            return Optional.of(CmEvent.copy(event));
        } finally {
            Rdmacm.rdma_ack_cm_event(call, event);
        }
    }

    /**
     * Destroys the channel. All its identifiers must be destroyed already, and no thread may take
     * events.
     */
    void destroy() {
        Rdmacm.rdma_destroy_event_channel(address);
    }
}
