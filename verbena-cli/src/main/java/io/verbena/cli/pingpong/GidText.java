// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.pingpong;

import io.verbena.verbs.Gid;

/** Writes a global identifier as {@code inet_ntop} writes an IPv6 address. */
final class GidText {
    private static final int WORDS = 8;
    private static final int MAPPED = 0xFFFF;

    private GidText() {}

    static String of(Gid gid) {
        int[] words = words(gid);
        int length = longestRun(words);
        int start = length < 2 ? WORDS : runOf(words, length);
        if (start == 0 && (length == 6 || (length == 5 && words[5] == MAPPED))) {
            return (length == 6 ? "::" : "::ffff:") + dotted(words[6], words[7]);
        }
        return start == WORDS
                ? join(words, 0, WORDS)
                : join(words, 0, start) + "::" + join(words, start + length, WORDS);
    }

    private static int[] words(Gid gid) {
        byte[] bytes = gid.toBytes();
        int[] words = new int[WORDS];
        for (int i = 0; i < WORDS; i++) {
            words[i] = (bytes[2 * i] & 0xFF) << 8 | bytes[2 * i + 1] & 0xFF;
        }
        return words;
    }

    private static int longestRun(int[] words) {
        int longest = 0;
        for (int i = 0; i < WORDS; i++) {
            longest = Math.max(longest, zerosAt(words, i));
        }
        return longest;
    }

    /** {@return where the first run of zeros of a given length starts} */
    private static int runOf(int[] words, int length) {
        int start = 0;
        while (zerosAt(words, start) != length) {
            start++;
        }
        return start;
    }

    private static int zerosAt(int[] words, int start) {
        int end = start;
        while (end < WORDS && words[end] == 0) {
            end++;
        }
        return end - start;
    }

    private static String join(int[] words, int from, int to) {
        StringBuilder text = new StringBuilder();
        for (int i = from; i < to; i++) {
            text.append(i == from ? "" : ":").append(Integer.toHexString(words[i]));
        }
        return text.toString();
    }

    private static String dotted(int high, int low) {
        return (high >> 8) + "." + (high & 0xFF) + "." + (low >> 8) + "." + (low & 0xFF);
    }
}
