// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.balance;

import java.util.Map;
import java.util.TreeMap;

/** The parameters of a balancer, as its creator takes them one by one. One thread. */
final class Parameters {
    private final String balancer;
    private final Map<String, String> left;

    Parameters(String balancer, Map<String, String> given) {
        this.balancer = balancer;
        this.left = new TreeMap<>(given);
    }

    /** {@return a parameter that is a number, at least 1} */
    int take(String key, int otherwise) {
        String text = left.remove(key);
        if (text == null) {
            return otherwise;
        }
        try {
            int value = Integer.parseInt(text);
            if (value >= 1) {
                return value;
            }
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    balancer + ": " + key + "=" + text + " (expected: a number)", e);
        }
        throw new IllegalArgumentException(
                balancer + ": " + key + "=" + text + " (expected: at least 1)");
    }

    void checkNoneLeft() {
        if (!left.isEmpty()) {
            throw new IllegalArgumentException(
                    balancer + ": unknown parameters " + left.keySet() + " (expected: none)");
        }
    }
}
