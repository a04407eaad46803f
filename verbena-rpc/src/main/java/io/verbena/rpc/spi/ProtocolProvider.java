// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.spi;

/**
 * A protocol that servers can speak in addition to {@code baidu_std}. Found by {@link
 * java.util.ServiceLoader} when a node opens; one object serves all servers of the node, from any
 * thread.
 */
public interface ProtocolProvider {
    /** {@return brpc's name of the protocol, such as {@code http}, as used in enabled_protocols} */
    String name();

    /**
     * {@return whether it shows pages that show the server's state} Only such protocols are spoken
     * on the internal port.
     */
    default boolean hasPages() {
        return false;
    }

    /**
     * {@return the protocol for one server} Called while the server starts, before it listens.
     *
     * @param server the server, which closes the protocol when it ends
     */
    ServerProtocol open(ServerView server);
}
