// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.testing.Seeds;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Requests with a few bytes changed are answered, refused, or incomplete; never anything else. */
class RequestCutterFuzzTest {
    private static final int ROUNDS = Integer.getInteger("verbena.fuzz.rounds", 200_000);
    private static final long SEED = Seeds.next("RequestCutterFuzzTest");

    private static final List<String> REQUESTS =
            List.of(
                    "GET /vars/a*?x=%20y&format=json HTTP/1.1\r\nHost: h\r\nAccept: */*\r\n\r\n",
                    "POST /S/M HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\n0123456789",
                    String.join(
                            "\r\n",
                            "POST /S/M HTTP/1.1",
                            "Host: h",
                            "Transfer-Encoding: chunked",
                            "",
                            "5;a=b",
                            "01234",
                            "1",
                            "5",
                            "0",
                            "T: u",
                            "",
                            ""),
                    "PUT http://h/a HTTP/1.0\r\nExpect: 100-continue\r\n\r\n",
                    "OPTIONS * HTTP/1.1\r\nHost: h\r\nConnection: close, x\r\n\r\n");

    private static final byte[] INTERESTING =
            "\r\n\t :;,%?#/0123456789abcfxABCX\0\u007f\u00ff".getBytes(StandardCharsets.ISO_8859_1);

    @Test
    void shouldSurviveMutatedRequests() {
        Random random = new Random(SEED);
        int refused = 0;
        int ready = 0;
        try (Wire wire = new Wire()) {
            for (int round = 0; round < ROUNDS; round++) {
                byte[] bytes = mutated(random);
                int split = random.nextInt(bytes.length + 1);
                List<String> first = wire.send(bytes, 0, split);
                List<String> second = wire.send(bytes, split, bytes.length);
                refused += isRefused(first) || isRefused(second) ? 1 : 0;
                ready += first.size() + second.size();
                assertThat(wire.bytesHeld()).isLessThanOrEqualTo(Wire.MAX_BODY);
                wire.forget();
            }
        }
        // Both happen all the time, or the test looks at nothing.
        assertThat(refused).isGreaterThan(ROUNDS / 10);
        assertThat(ready - refused).isGreaterThan(ROUNDS / 10);
    }

    private static boolean isRefused(List<String> seen) {
        return seen.stream().anyMatch(each -> each.startsWith("4") || each.startsWith("5"));
    }

    private static byte[] mutated(Random random) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i <= random.nextInt(3); i++) {
            text.append(REQUESTS.get(random.nextInt(REQUESTS.size())));
        }
        byte[] bytes = text.toString().getBytes(StandardCharsets.ISO_8859_1);
        for (int i = 0; i < random.nextInt(4); i++) {
            int at = random.nextInt(bytes.length);
            switch (random.nextInt(4)) {
                case 0 -> bytes[at] = (byte) random.nextInt(256);
                case 1 -> bytes[at] = INTERESTING[random.nextInt(INTERESTING.length)];
                case 2 -> bytes = without(bytes, at, random.nextInt(1, 6));
                default -> bytes = twice(bytes, at, random.nextInt(1, 12));
            }
            if (bytes.length == 0) {
                return new byte[] {'G'};
            }
        }
        return bytes;
    }

    private static byte[] without(byte[] bytes, int at, int count) {
        int end = Math.min(bytes.length, at + count);
        byte[] rest = Arrays.copyOf(bytes, bytes.length - (end - at));
        System.arraycopy(bytes, end, rest, at, bytes.length - end);
        return rest;
    }

    private static byte[] twice(byte[] bytes, int at, int count) {
        int end = Math.min(bytes.length, at + count);
        byte[] more = Arrays.copyOf(bytes, bytes.length + (end - at));
        System.arraycopy(bytes, at, more, end, bytes.length - at);
        return more;
    }
}
