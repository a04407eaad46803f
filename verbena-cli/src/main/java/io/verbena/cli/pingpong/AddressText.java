// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.pingpong;

import io.verbena.tools.ToolException;
import io.verbena.verbs.Gid;
import io.verbena.verbs.QueuePairAddress;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How to reach a queue pair, in the formats that {@code ibv_rc_pingpong} sends to its peer and
 * prints.
 *
 * <p>On the wire it is hexadecimal text of fixed length, followed by a NUL:
 *
 * <pre>
 *  0     4   5          11  12         18  19    51
 *  | lid | : | qp number | : | first psn | : | gid | NUL |
 * </pre>
 */
final class AddressText {
    /** The bytes on the wire, including the NUL. */
    static final int LENGTH = 52;

    private static final Pattern WIRE =
            Pattern.compile(
                    "(\\p{XDigit}{4}):(\\p{XDigit}{6}):(\\p{XDigit}{6}):(\\p{XDigit}{32})\0");

    private AddressText() {}

    static byte[] encode(QueuePairAddress address) {
        return String.format(
                        Locale.ROOT,
                        "%04x:%06x:%06x:%s\0",
                        address.lid(),
                        address.number(),
                        address.packetSequenceNumber(),
                        HexFormat.of().formatHex(address.gid().toBytes()))
                .getBytes(StandardCharsets.US_ASCII);
    }

    /**
     * {@return the address in what a peer sent}
     *
     * @param bytes {@link #LENGTH} of them
     * @throws ToolException if they are not an address
     */
    static QueuePairAddress decode(byte... bytes) {
        String text = new String(bytes, StandardCharsets.ISO_8859_1);
        Matcher matcher = WIRE.matcher(text);
        if (!matcher.matches()) {
            throw new ToolException(
                    "the peer's address: "
                            + printable(text)
                            + " (expected: LID:QPN:PSN:GID in hexadecimal and a NUL;"
                            + " is the peer an ibv_rc_pingpong?)");
        }
        return new QueuePairAddress(
                Gid.parse(matcher.group(4)),
                HexFormat.fromHexDigits(matcher.group(1)),
                HexFormat.fromHexDigits(matcher.group(2)),
                HexFormat.fromHexDigits(matcher.group(3)));
    }

    /** {@return the address as it is printed} */
    static String describe(QueuePairAddress address) {
        return String.format(
                Locale.ROOT,
                "LID 0x%04x, QPN 0x%06x, PSN 0x%06x, GID %s",
                address.lid(),
                address.number(),
                address.packetSequenceNumber(),
                GidText.of(address.gid()));
    }

    /** {@return a peer's bytes without control characters that a terminal would interpret} */
    private static String printable(String text) {
        return "'" + text.replaceAll("[^ -~]", "?") + "'";
    }
}
