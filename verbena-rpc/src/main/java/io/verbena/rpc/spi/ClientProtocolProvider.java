// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.spi;

/**
 * A protocol that channels can speak instead of {@code baidu_std}. Found by {@link
 * java.util.ServiceLoader} when a node opens; one object serves all channels of the node, from any
 * thread.
 */
public interface ClientProtocolProvider {
    /** {@return its name, as the option {@code protocol} of a channel gives it} */
    String name();

    /**
     * {@return the protocol for one channel}
     *
     * @param channel the channel, which closes the protocol
     * @throws IllegalArgumentException if an option of the channel does not go with this protocol
     */
    ClientProtocol open(ClientView channel);
}
