// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.ibv;

import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.Optional;

/**
 * Where an {@code rdma_cm_id} leads, as far as it knows.
 *
 * @param local the address on this side
 * @param remote the peer's
 * @param device the name of the device that has the local address; none for the wildcard
 */
record CmPath(
        Optional<InetSocketAddress> local,
        Optional<InetSocketAddress> remote,
        Optional<String> device) {
    /** {@return what is in an identifier, which must stay alive meanwhile} */
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

    /** {@return whether it does not lead through another device than the one named} */
    boolean mayUse(String name) {
        return device.isEmpty() || device.get().equals(name);
    }
}
