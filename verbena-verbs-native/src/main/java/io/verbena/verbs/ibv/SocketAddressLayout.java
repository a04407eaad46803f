// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.ibv;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteOrder;
import java.util.Optional;

/** Internet addresses as C stores them: {@code sockaddr_in} and {@code sockaddr_in6}. */
final class SocketAddressLayout {
    private static final ValueLayout.OfShort NETWORK_SHORT =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private SocketAddressLayout() {}

    /**
     * {@return a {@code sockaddr}}
     *
     * @param call owns the memory
     * @param address a resolved address
     */
    static MemorySegment write(NativeCall call, InetSocketAddress address) {
        byte[] host = address.getAddress().getAddress();
        if (address.getAddress() instanceof Inet6Address six) {
            MemorySegment memory = call.allocate(RdmacmLayout.SOCKADDR_IN6);
            RdmacmLayout.SIN6_FAMILY.set(memory, RdmacmLayout.AF_INET6.value());
            writePort(RdmacmLayout.SIN6_PORT, memory, address);
            RdmacmLayout.SIN6_ADDR.in(memory).copyFrom(MemorySegment.ofArray(host));
            RdmacmLayout.SIN6_SCOPE_ID.set(memory, six.getScopeId());
            return memory;
        }
        MemorySegment memory = call.allocate(RdmacmLayout.SOCKADDR_IN);
        RdmacmLayout.SIN_FAMILY.set(memory, RdmacmLayout.AF_INET.value());
        writePort(RdmacmLayout.SIN_PORT, memory, address);
        RdmacmLayout.SIN_ADDR.in(memory).copyFrom(MemorySegment.ofArray(host));
        return memory;
    }

    /**
     * {@return the address in a {@code sockaddr_storage}, or empty if it holds no internet address}
     *
     * @param storage at least as long as the larger of the two
     */
    static Optional<InetSocketAddress> read(MemorySegment storage) {
        long family = RdmacmLayout.SIN_FAMILY.get(storage);
        if (family == RdmacmLayout.AF_INET.value()) {
            return Optional.of(
                    at(
                            RdmacmLayout.SIN_ADDR.in(storage),
                            0,
                            readPort(RdmacmLayout.SIN_PORT, storage)));
        }
        if (family == RdmacmLayout.AF_INET6.value()) {
            return Optional.of(
                    at(
                            RdmacmLayout.SIN6_ADDR.in(storage),
                            RdmacmLayout.SIN6_SCOPE_ID.getInt(storage),
                            readPort(RdmacmLayout.SIN6_PORT, storage)));
        }
        return Optional.empty();
    }

    private static InetSocketAddress at(MemorySegment host, int scope, int port) {
        byte[] bytes = host.toArray(ValueLayout.JAVA_BYTE);
        try {
            InetAddress address =
                    scope == 0
                            ? InetAddress.getByAddress(bytes)
                            : Inet6Address.getByAddress(null, bytes, scope);
            return new InetSocketAddress(address, port);
        } catch (UnknownHostException e) {
            throw new AssertionError(bytes.length + " bytes", e);
        }
    }

    private static void writePort(CField field, MemorySegment memory, InetSocketAddress address) {
        field.in(memory).set(NETWORK_SHORT, 0, (short) address.getPort());
    }

    private static int readPort(CField field, MemorySegment memory) {
        return Short.toUnsignedInt(field.in(memory).get(NETWORK_SHORT, 0));
    }
}
