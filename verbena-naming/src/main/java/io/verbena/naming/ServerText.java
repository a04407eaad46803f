// SPDX-License-Identifier: Apache-2.0
package io.verbena.naming;

import io.verbena.rpc.spi.ServerEntry;
import io.verbena.rpc.spi.ServerNode;
import java.math.BigInteger;
import java.net.Inet6Address;
import java.net.InetSocketAddress;

/** A server as text, as {@link ServerEntry} reads it. */
public final class ServerText {
    private static final BigInteger MOST = BigInteger.valueOf(ServerNode.MAX_WEIGHT);

    private ServerText() {}

    /**
     * {@return {@code host:port} of a server, with its address in numbers}
     *
     * @param server the server
     */
    public static String address(ServerNode server) {
        InetSocketAddress address = server.address();
        String host = host(server);
        return (address.getAddress() instanceof Inet6Address ? "[" + host + "]" : host)
                + ":"
                + address.getPort();
    }

    /**
     * {@return the address of a server in numbers, without port and brackets}
     *
     * @param server the server
     */
    public static String host(ServerNode server) {
        return server.address().getAddress().getHostAddress();
    }

    /**
     * {@return the tag of a server, with its weight if it has one}
     *
     * @param server the server
     */
    public static String tag(ServerNode server) {
        return withWeight(server.tag(), server.weight());
    }

    /**
     * {@return a tag with a weight}
     *
     * @param tag words; a number that cannot be a weight is a word like any other
     * @param weight is left out if it is the default
     */
    public static String withWeight(String tag, int weight) {
        if (weight == ServerNode.DEFAULT_WEIGHT && !isWrongWeight(tag)) {
            return tag;
        }
        return tag + (tag.isEmpty() ? "" : " ") + "w=" + weight;
    }

    /** {@return whether a tag would be read as a weight that is not allowed} */
    private static boolean isWrongWeight(String tag) {
        if (tag.isEmpty() || !tag.chars().allMatch(c -> c >= '0' && c <= '9')) {
            return false;
        }
        BigInteger number = new BigInteger(tag);
        return number.signum() == 0 || number.compareTo(MOST) > 0;
    }
}
