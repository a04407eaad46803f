// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads request line or status line, and headers. Strict where leniency would let two servers see
 * different requests in the same bytes: line ends, spaces, folded lines, duplicate headers.
 */
final class HeadReader {
    private static final String VERSION = "HTTP/1.";
    private static final Pattern STATUS_LINE =
            Pattern.compile("(HTTP/\\d\\.\\d) ([1-9]\\d\\d)(?: ([\\t -~\\x80-\\xff]*))?");
    private static final String TOKEN_MARKS = "!#$%&'*+-.^_`|~";

    private final HttpLimits limits;
    private final byte[] bytes;
    private final int end;
    private int position;

    private HeadReader(HttpLimits limits, byte[] bytes, int end) {
        this.limits = limits;
        this.bytes = bytes;
        this.end = end;
    }

    /**
     * {@return a head}
     *
     * @param limits the limits of its parts
     * @param bytes lines that end with CR LF; the last is empty
     * @param end how many bytes of the array are the head
     * @throws RefusedRequestException if it is malformed or exceeds a limit
     */
    static HttpHead read(HttpLimits limits, byte[] bytes, int end) throws RefusedRequestException {
        HeadReader reader = new HeadReader(limits, bytes, end);
        HttpHead head = reader.requestLine();
        while (!reader.isAtEnd()) {
            reader.header(head.headers());
        }
        int hosts = head.headers().all("host").size();
        if (hosts > 1 || hosts == 0 && head.minorVersion() > 0) {
            throw RefusedRequestException.bad("host: " + hosts + " headers (expected: 1)");
        }
        return head;
    }

    /**
     * {@return the head of a response}
     *
     * @param limits the limits of its parts
     * @param bytes lines that end with CR LF; the last is empty
     * @param end how many bytes of the array are the head
     * @throws RefusedRequestException if it is malformed or exceeds a limit
     */
    static ResponseHead readResponse(HttpLimits limits, byte[] bytes, int end)
            throws RefusedRequestException {
        HeadReader reader = new HeadReader(limits, bytes, end);
        ResponseHead head = reader.statusLine();
        while (!reader.isAtEnd()) {
            reader.header(head.headers());
        }
        return head;
    }

    /**
     * Checks that a line is a header.
     *
     * @param limits the limits of its parts
     * @param bytes the line, with CR LF
     * @param end how many bytes of the array are the line
     * @throws RefusedRequestException if it is not
     */
    static void checkHeader(HttpLimits limits, byte[] bytes, int end)
            throws RefusedRequestException {
        new HeadReader(limits, bytes, end).header(new HttpHeaders());
    }

    private boolean isAtEnd() {
        return bytes[position] == '\r';
    }

    private HttpHead requestLine() throws RefusedRequestException {
        int lineEnd = lineEnd(HttpStatus.URI_TOO_LONG);
        HttpMethod method = HttpMethod.at(bytes, lineEnd);
        int targetStart = method.tokenLength();
        int targetEnd = targetStart;
        while (targetEnd < lineEnd && bytes[targetEnd] > ' ' && bytes[targetEnd] < 0x7f) {
            targetEnd++;
        }
        if (targetEnd == targetStart || targetEnd == lineEnd || bytes[targetEnd] != ' ') {
            throw RefusedRequestException.bad("request line: malformed");
        }
        int minor = minorVersion(text(targetEnd + 1, lineEnd));
        HttpTarget target = HttpTarget.parse(text(targetStart, targetEnd));
        position = lineEnd + 2;
        return new HttpHead(method, target, minor, new HttpHeaders());
    }

    private ResponseHead statusLine() throws RefusedRequestException {
        int lineEnd = lineEnd(HttpStatus.HEADER_FIELDS_TOO_LARGE);
        Matcher parts = STATUS_LINE.matcher(text(position, lineEnd));
        if (!parts.matches()) {
            throw RefusedRequestException.bad("status line: malformed");
        }
        position = lineEnd + 2;
        return new ResponseHead(
                Integer.parseInt(parts.group(2)),
                parts.group(3) == null ? "" : parts.group(3),
                minorVersion(parts.group(1)),
                new HttpHeaders());
    }

    private static int minorVersion(String version) throws RefusedRequestException {
        boolean isHttp =
                version.length() == VERSION.length() + 1
                        && version.startsWith("HTTP/")
                        && isDigit(version.charAt(5))
                        && version.charAt(6) == '.'
                        && isDigit(version.charAt(7));
        if (!isHttp) {
            throw RefusedRequestException.bad("version: malformed");
        }
        if (!version.startsWith(VERSION)) {
            throw new RefusedRequestException(
                    HttpStatus.VERSION_NOT_SUPPORTED, "version: not 1.0 or 1.1");
        }
        return version.charAt(7) == '0' ? 0 : 1;
    }

    private static boolean isDigit(char character) {
        return character >= '0' && character <= '9';
    }

    private void header(HttpHeaders headers) throws RefusedRequestException {
        int lineEnd = lineEnd(HttpStatus.HEADER_FIELDS_TOO_LARGE);
        int colon = position;
        while (colon < lineEnd && isToken(bytes[colon])) {
            colon++;
        }
        if (colon == position || colon == lineEnd || bytes[colon] != ':') {
            throw RefusedRequestException.bad("header: without a name, a colon, or on two lines");
        }
        for (int i = colon + 1; i < lineEnd; i++) {
            if (bytes[i] >= 0 && bytes[i] < ' ' && bytes[i] != '\t' || bytes[i] == 0x7f) {
                throw RefusedRequestException.bad("header: control characters");
            }
        }
        if (headers.count() == limits.maxHeaders()) {
            throw new RefusedRequestException(
                    HttpStatus.HEADER_FIELDS_TOO_LARGE,
                    "headers: more than " + limits.maxHeaders());
        }
        headers.add(text(position, colon), text(colon + 1, lineEnd).strip());
        position = lineEnd + 2;
    }

    /** {@return whether a text can be the name of a header} */
    static boolean isToken(String text) {
        return !text.isEmpty() && text.chars().allMatch(c -> c < 0x7f && isToken((byte) c));
    }

    private static boolean isToken(byte character) {
        return character >= 'a' && character <= 'z'
                || character >= 'A' && character <= 'Z'
                || character >= '0' && character <= '9'
                || character > 0 && TOKEN_MARKS.indexOf(character) >= 0;
    }

    private int lineEnd(HttpStatus ifTooLong) throws RefusedRequestException {
        int at = position;
        while (at < end && bytes[at] != '\r' && bytes[at] != '\n') {
            at++;
        }
        if (at - position > limits.maxLineBytes()) {
            throw new RefusedRequestException(
                    ifTooLong, "line: longer than " + limits.maxLineBytes() + " bytes");
        }
        if (at + 1 >= end || bytes[at] != '\r' || bytes[at + 1] != '\n') {
            throw RefusedRequestException.bad("line: ends without CR LF");
        }
        return at;
    }

    /** Latin-1 accepts any byte; headers that matter are ASCII. */
    private String text(int from, int to) {
        return new String(bytes, from, to - from, StandardCharsets.ISO_8859_1);
    }
}
