// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.memory.IOBuf;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/** Describes bytes that no protocol of a port recognized, and suggests a fix. */
final class UnknownInput {
    private static final int SHORTEST_METHOD = 3;
    private static final int LONGEST_METHOD = 7;

    private static final byte[] HTTP2_PREFACE = "PRI * ".getBytes(StandardCharsets.US_ASCII);

    private UnknownInput() {}

    /**
     * {@return a description of the bytes}
     *
     * @param received starts with them
     * @param spoken the protocols of the port
     */
    static String describe(IOBuf received, List<String> spoken) {
        if (startsWith(received, HTTP2_PREFACE)) {
            return "an HTTP/2 connection (expected: one of "
                    + spoken
                    + "; for gRPC, put verbena-grpc on the path and enable h2)";
        }
        return isHttp(received)
                ? "an HTTP request (expected: one of "
                        + spoken
                        + "; for HTTP, put verbena-http on the path and enable http)"
                : "bytes of no protocol (expected: one of " + spoken + ")";
    }

    private static boolean startsWith(IOBuf received, byte[] front) {
        byte[] found = new byte[(int) Math.min(received.size(), front.length)];
        received.copyTo(0, found, 0, found.length);
        return Arrays.equals(found, front);
    }

    /** An HTTP request begins with a method: capital letters, then a space. */
    private static boolean isHttp(IOBuf received) {
        byte[] front = new byte[(int) Math.min(received.size(), LONGEST_METHOD + 1)];
        received.copyTo(0, front, 0, front.length);
        int letters = 0;
        while (letters < front.length && front[letters] >= 'A' && front[letters] <= 'Z') {
            letters++;
        }
        return letters >= SHORTEST_METHOD && letters < front.length && front[letters] == ' ';
    }
}
