// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.ibv;

import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.Optional;

/**
 * The addresses and the device of an {@code rdma_cm_id}, as far as they are known.
 *
 * @param local the address on this side
 * @param remote the peer's address
 * @param device the name of the device that has the local address; none for the wildcard
 */
record CmPath(
        Optional<InetSocketAddress> local,
        Optional<InetSocketAddress> remote,
        Optional<String> device) {
    /** {@return the path of an identifier, which must stay alive during the call} */
    static CmPath of(long identifier) {
        MemorySegment id = RdmacmLayout.CM_ID.at(identifier);
        return new CmPath(
                SocketAddressLayout.read(RdmacmLayout.CM_ID_SOURCE.in(id)),
                SocketAddressLayout.read(RdmacmLayout.CM_ID_DESTINATION.in(id)),
                device(RdmacmLayout.CM_ID_VERBS.get(id)));
    }

    private static Optional<String> device(long context) {
        if (context == 0) {
            return Optional.empty();
        }
        long device = RdmacmLayout.CONTEXT_DEVICE.get(IbvLayout.CONTEXT.at(context));
        return Optional.of(DeviceList.name(device));
    }

    /** {@return whether a device can use it; false only if it leads through another one} */
    boolean mayUse(String name) {
        return device.isEmpty() || device.get().equals(name);
    }
}
