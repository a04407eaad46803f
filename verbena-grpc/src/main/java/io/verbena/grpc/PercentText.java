// SPDX-License-Identifier: Apache-2.0
package io.verbena.grpc;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/**
 * The text of {@code grpc-message}: UTF-8, with all but printable ASCII as percent and two digits.
 */
final class PercentText {
    /** Longer texts are cut: clients refuse headers that are too long, and with them the status. */
    private static final int MAX_LENGTH = 1024;

    private static final HexFormat HEX = HexFormat.of().withUpperCase();
    private static final int ESCAPE_LENGTH = 3;

    private PercentText() {}

    static String encode(String text) {
        String cut = text.length() > MAX_LENGTH ? text.substring(0, MAX_LENGTH) : text;
        StringBuilder encoded = new StringBuilder(cut.length());
        for (byte each : cut.getBytes(StandardCharsets.UTF_8)) {
            if (each >= ' ' && each <= '~' && each != '%') {
                encoded.append((char) each);
            } else {
                encoded.append('%').append(HEX.toHexDigits(each));
            }
        }
        return encoded.toString();
    }

    /** {@return the text; what is not an escape is left as it is} */
    static String decode(String encoded) {
        if (encoded.indexOf('%') < 0) {
            return encoded;
        }
        byte[] from = encoded.getBytes(StandardCharsets.UTF_8);
        ByteArrayOutputStream text = new ByteArrayOutputStream(from.length);
        for (int i = 0; i < from.length; i++) {
            if (from[i] == '%' && isEscape(from, i)) {
                text.write(
                        HexFormat.fromHexDigit(from[i + 1]) << 4
                                | HexFormat.fromHexDigit(from[i + 2]));
                i += ESCAPE_LENGTH - 1;
            } else {
                text.write(from[i]);
            }
        }
        return text.toString(StandardCharsets.UTF_8);
    }

    private static boolean isEscape(byte[] from, int at) {
        return at + ESCAPE_LENGTH <= from.length
                && HexFormat.isHexDigit(from[at + 1])
                && HexFormat.isHexDigit(from[at + 2]);
    }
}
