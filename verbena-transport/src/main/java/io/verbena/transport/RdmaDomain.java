// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

import io.verbena.completion.Notices;
import io.verbena.memory.BlockPool;
import io.verbena.memory.BlockPoolOptions;
import io.verbena.transport.rdma.RdmaDevice;
import io.verbena.transport.rdma.RdmaEndpoints;
import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.Errno;
import io.verbena.verbs.VerbsException;
import java.util.Optional;

/**
 * An open RDMA device with what all connections over it share: registered memory, pollers,
 * completion queues, and queue pairs ready for use.
 *
 * <p>Ownership: owns everything it opens. Close it after the connections that use it; any that are
 * left are ended.
 *
 * <p>Threads: any thread may call any method, but a handler may not close it.
 */
public final class RdmaDomain implements AutoCloseable {
    private final RdmaDevice device;

    /** A domain that owns a device. */
    RdmaDomain(RdmaDevice device) {
        this.device = device;
    }

    /**
     * {@return a domain on the device the flags name, or else on the first usable one}
     *
     * @param flags {@code rdma_device}, {@code rdma_port}, {@code rdma_gid_index} and the flags
     *     that say how to use it
     * @param poolOptions the settings of its registered memory
     * @throws io.verbena.verbs.VerbsException if there is no such device, or it refuses
     */
    public static RdmaDomain open(TransportFlags flags, BlockPoolOptions poolOptions) {
        return new RdmaDomain(RdmaDevice.open(flags, poolOptions));
    }

    /**
     * {@return a domain as {@link #open}, or none if the flags name no device and there is no
     * usable one; a warning then says that all connections use TCP, and why}
     *
     * @param flags as in {@link #open}
     * @param poolOptions as in {@link #open}
     * @throws io.verbena.verbs.VerbsException if there is no device with the name that was given,
     *     or a device refuses for another reason
     */
    public static Optional<RdmaDomain> openIfAny(
            TransportFlags flags, BlockPoolOptions poolOptions) {
        try {
            return Optional.of(open(flags, poolOptions));
        } catch (VerbsException e) {
            if (e.errno() != Errno.ENODEV || !flags.text(TransportFlag.RDMA_DEVICE).isEmpty()) {
                throw e;
            }
            Notices.warn(
                    RdmaDomain.class,
                    "there is no RDMA device, so all connections use TCP: " + e.getMessage());
            return Optional.empty();
        }
    }

    /** {@return the registered memory: bytes written from it are not copied} */
    public BlockPool pool() {
        return device.pool();
    }

    /** {@return the name of the device} */
    public String deviceName() {
        return context().device().name();
    }

    /** {@return whether new connections may use RDMA: the device works and its port is active} */
    public boolean isAvailable() {
        return endpoints().isAvailable();
    }

    /** {@return how many connections use RDMA now} */
    public int connections() {
        return device.connections();
    }

    /** {@return the open device} */
    DeviceContext context() {
        return device.context();
    }

    /** {@return the factory of the RDMA halves of connections} */
    RdmaEndpoints endpoints() {
        return device.endpoints();
    }

    /** Ends all connections, then closes everything, the device last. */
    @Override
    public void close() {
        device.close();
    }

    @Override
    public String toString() {
        return "RDMA domain on " + device;
    }
}
