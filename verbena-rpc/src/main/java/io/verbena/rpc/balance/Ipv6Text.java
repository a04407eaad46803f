// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.balance;

/** IPv6 addresses as {@code inet_ntop} of glibc writes them, which is what brpc hashes. */
final class Ipv6Text {
    private static final int GROUPS = 8;

    /** A run of zeros is left out from this length on. */
    private static final int LEAST_RUN = 2;

    /** The group before the last two, which are an IPv4 address if all before are zero. */
    private static final int LAST_BEFORE_IPV4 = 5;

    private Ipv6Text() {}

    /** {@return the text of the 16 bytes of an address} */
    static String of(byte[] bytes) {
        int[] groups = new int[GROUPS];
        for (int i = 0; i < GROUPS; i++) {
            groups[i] = (bytes[2 * i] & 0xff) << 8 | bytes[2 * i + 1] & 0xff;
        }
        int start = 0;
        int length = 0;
        for (int i = 0; i < GROUPS; i++) {
            int run = zerosFrom(groups, i);
            // the first of the longest
            if (run > length) {
                start = i;
                length = run;
            }
        }
        if (length < LEAST_RUN) {
            return joined(groups, 0, GROUPS);
        }
        if (isIpv4Inside(groups, start, length)) {
            return (length == LAST_BEFORE_IPV4 ? "::ffff:" : "::") + ipv4(bytes);
        }
        return joined(groups, 0, start) + "::" + joined(groups, start + length, GROUPS);
    }

    private static int zerosFrom(int[] groups, int start) {
        int end = start;
        while (end < GROUPS && groups[end] == 0) {
            end++;
        }
        return end - start;
    }

    private static boolean isIpv4Inside(int[] groups, int start, int length) {
        return start == 0
                && (length == LAST_BEFORE_IPV4 + 1
                        || length == LAST_BEFORE_IPV4 && groups[LAST_BEFORE_IPV4] == 0xffff);
    }

    private static String ipv4(byte[] bytes) {
        StringBuilder text = new StringBuilder();
        for (int i = bytes.length - Integer.BYTES; i < bytes.length; i++) {
            text.append(text.isEmpty() ? "" : ".").append(bytes[i] & 0xff);
        }
        return text.toString();
    }

    private static String joined(int[] groups, int from, int to) {
        StringBuilder text = new StringBuilder();
        for (int i = from; i < to; i++) {
            text.append(i == from ? "" : ":").append(Integer.toHexString(groups[i]));
        }
        return text.toString();
    }
}
