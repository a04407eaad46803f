// SPDX-License-Identifier: Apache-2.0

package io.verbena.compare;

/**
 * A system to compare: it serves and makes calls that send bytes and get them back: an RPC system
 * as a {@code google.protobuf.BytesValue} in each direction, others as they are. Found with {@link
 * java.util.ServiceLoader}.
 */
public interface EchoSystem {
    /** {@return its name, by which {@link Contestant} knows it} */
    String name();

    /**
     * Serves until the process ends.
     *
     * @param contestant how it is set up
     * @return the port it listens on, on the loopback address, or another number by which clients
     *     find it
     * @throws Exception if it cannot
     */
    int serve(Contestant contestant) throws Exception;

    /**
     * {@return a connected client}
     *
     * @param contestant how it is set up
     * @param port what the server returned
     * @throws Exception if it cannot connect
     */
    EchoClient connect(Contestant contestant, int port) throws Exception;
}
