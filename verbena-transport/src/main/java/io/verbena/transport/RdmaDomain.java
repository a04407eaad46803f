// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

import io.verbena.memory.BlockPool;
import io.verbena.memory.BlockPoolOptions;
import io.verbena.transport.rdma.RdmaDevice;
import io.verbena.transport.rdma.RdmaEndpoints;
import io.verbena.verbs.DeviceContext;

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
