// SPDX-License-Identifier: Apache-2.0

package io.verbena.compare;

/**
 * A system to compare: it serves and makes calls that send bytes and get them back, as a {@code
 * google.protobuf.BytesValue} in each direction. Found with {@link java.util.ServiceLoader}.
 */
public interface EchoSystem {
    /** {@return its name, by which {@link Contestant} knows it} */
    String name();

    /**
     * Serves until the process ends.
     *
     * @param contestant how it is set up
     * @return the port it listens on, on the loopback address
     * @throws Exception if it cannot
     */
    int serve(Contestant contestant) throws Exception;

    /**
     * {@return a connected client}
     *
     * @param contestant how it is set up
     * @param port where the server listens
     * @throws Exception if it cannot connect
     */
    EchoClient connect(Contestant contestant, int port) throws Exception;
}
