// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.socket;

import io.verbena.tools.ToolException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Messages that contain their sender and number. */
final class Texts {
    private Texts() {}

    /** {@return a text, cut or filled with dots to a size in bytes} */
    static ByteBuffer message(int nodeId, long number, int size) {
        byte[] text =
                ("message " + number + " of node " + nodeId + " ")
                        .getBytes(StandardCharsets.US_ASCII);
        byte[] bytes = Arrays.copyOf(text, size);
        if (size > text.length) {
            Arrays.fill(bytes, text.length, size, (byte) '.');
        }
        return ByteBuffer.wrap(bytes);
    }

    /** {@return the failure of connecting to an address where nobody listens} */
    static ToolException refused(InetSocketAddress address, ConnectException cause) {
        return new ToolException(
                "nobody listens at " + address.getHostString() + ":" + address.getPort(), cause);
    }

    /** {@return bytes as text, up to the terminator that C programs add} */
    static String of(byte[] bytes) {
        int end = bytes.length;
        while (end > 0 && bytes[end - 1] == 0) {
            end--;
        }
        return new String(bytes, 0, end, StandardCharsets.UTF_8);
    }
}
