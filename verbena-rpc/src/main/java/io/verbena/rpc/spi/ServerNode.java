// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.spi;

import java.net.InetSocketAddress;
import java.util.Objects;

/**
 * A server as a registry lists it. Address and tag say which server it is: the same address with
 * another tag is another server, with connections of its own. A server whose weight changes stays
 * the same server.
 *
 * @param address where it listens; resolved
 * @param tag what the registry adds to the address, such as {@code zone=a} or {@code 0/3}; empty if
 *     nothing
 * @param weight its share of the calls, relative to that of the others; at least 1
 */
public record ServerNode(InetSocketAddress address, String tag, int weight) {
    /** The weight of a server that has none. */
    public static final int DEFAULT_WEIGHT = 1;

    /** The largest weight, so that sums of weights do not overflow. */
    public static final int MAX_WEIGHT = 1_000_000;

    private static final String WEIGHT = "w=";

    /** Checks the values. */
    public ServerNode {
        Objects.requireNonNull(address, "address");
        Objects.requireNonNull(tag, "tag");
        if (address.isUnresolved()) {
            throw new IllegalArgumentException("address: " + address + " (expected: resolved)");
        }
        if (weight < 1 || weight > MAX_WEIGHT) {
            throw new IllegalArgumentException(
                    "weight: " + weight + " (expected: 1.." + MAX_WEIGHT + ")");
        }
    }

    /**
     * A server with a tag, and the weight that the tag names.
     *
     * @param address where it listens; resolved
     * @param tag words. The word {@code w=N} is the weight, and is removed from the tag; a tag that
     *     is only a number is the weight too, as in brpc
     */
    public ServerNode(InetSocketAddress address, String tag) {
        this(address, withoutWeight(tag), weightIn(tag));
    }

    private static String withoutWeight(String tag) {
        if (!tag.contains(WEIGHT)) {
            return tag;
        }
        StringBuilder rest = new StringBuilder();
        for (String word : tag.split("\\s+", -1)) {
            if (!word.startsWith(WEIGHT)) {
                rest.append(rest.isEmpty() ? "" : " ").append(word);
            }
        }
        return rest.toString();
    }

    private static int weightIn(String tag) {
        for (String word : tag.split("\\s+", -1)) {
            if (word.startsWith(WEIGHT)) {
                return weight(word.substring(WEIGHT.length()));
            }
        }
        return !tag.isEmpty() && tag.chars().allMatch(c -> c >= '0' && c <= '9')
                ? weight(tag)
                : DEFAULT_WEIGHT;
    }

    private static int weight(String digits) {
        try {
            return Integer.parseInt(digits);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    "weight: " + digits + " (expected: 1.." + MAX_WEIGHT + ")", e);
        }
    }

    /**
     * {@return the value of a word {@code key=value} of the tag; empty if there is none}
     *
     * @param key such as {@code zone}
     */
    public String tagValue(String key) {
        for (String word : tag.split("\\s+", -1)) {
            if (word.length() > key.length()
                    && word.startsWith(key)
                    && word.charAt(key.length()) == '=') {
                return word.substring(key.length() + 1);
            }
        }
        return "";
    }

    /** {@return the same for all entries of one server: this without its weight} */
    public ServerNode identity() {
        return weight == DEFAULT_WEIGHT ? this : new ServerNode(address, tag, DEFAULT_WEIGHT);
    }

    @Override
    public String toString() {
        return address.getHostString()
                + ":"
                + address.getPort()
                + (tag.isEmpty() ? "" : " " + tag)
                + (weight == DEFAULT_WEIGHT ? "" : " " + WEIGHT + weight);
    }
}
