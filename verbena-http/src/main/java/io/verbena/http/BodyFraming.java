// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import java.util.List;
import java.util.Optional;

/** How the end of a body is found, according to the headers; RFC 9112 section 6. */
sealed interface BodyFraming {
    /** A body of known length. */
    record Fixed(long length) implements BodyFraming {}

    /** A body in chunks. */
    record Chunked() implements BodyFraming {}

    /** Numbers with more digits exceed any limit. */
    int MAX_DIGITS = 18;

    /**
     * {@return how the body of a request ends}
     *
     * @param head the head of the request
     * @param maxBodyBytes the largest body that is accepted
     * @throws RefusedRequestException if the headers contradict each other, or the body is too
     *     large
     */
    static BodyFraming of(HttpHead head, long maxBodyBytes) throws RefusedRequestException {
        return of(head.headers(), head.minorVersion(), maxBodyBytes).orElse(new Fixed(0));
    }

    /**
     * {@return how the body of a response ends; empty if with the connection}
     *
     * @param head the head of the response to a request that was no HEAD
     * @param maxBodyBytes the largest body that is accepted
     * @throws RefusedRequestException if the headers contradict each other, or the body is too
     *     large
     */
    static Optional<BodyFraming> of(ResponseHead head, long maxBodyBytes)
            throws RefusedRequestException {
        return head.isWithoutBody()
                ? Optional.of(new Fixed(0))
                : of(head.headers(), head.minorVersion(), maxBodyBytes);
    }

    private static Optional<BodyFraming> of(
            HttpHeaders headers, int minorVersion, long maxBodyBytes)
            throws RefusedRequestException {
        List<String> codings = headers.all("transfer-encoding");
        List<String> lengths = headers.all("content-length");
        if (codings.isEmpty()) {
            return lengths.isEmpty()
                    ? Optional.empty()
                    : Optional.of(new Fixed(length(lengths, maxBodyBytes)));
        }
        if (!lengths.isEmpty()) {
            throw RefusedRequestException.bad("content-length and transfer-encoding");
        }
        if (minorVersion == 0) {
            throw RefusedRequestException.bad("transfer-encoding in HTTP/1.0");
        }
        if (codings.size() > 1 || !codings.getFirst().equalsIgnoreCase("chunked")) {
            throw new RefusedRequestException(
                    HttpStatus.NOT_IMPLEMENTED, "transfer-encoding: other than chunked");
        }
        return Optional.of(new Chunked());
    }

    private static long length(List<String> lengths, long maxBodyBytes)
            throws RefusedRequestException {
        String text = lengths.getFirst();
        boolean isNumber =
                !text.isEmpty() && text.chars().allMatch(digit -> digit >= '0' && digit <= '9');
        if (lengths.size() > 1 || !isNumber) {
            throw RefusedRequestException.bad("content-length: not one number");
        }
        if (text.length() > MAX_DIGITS || Long.parseLong(text) > maxBodyBytes) {
            throw tooLarge(maxBodyBytes);
        }
        return Long.parseLong(text);
    }

    /** {@return the exception for a body that is too large} */
    static RefusedRequestException tooLarge(long maxBodyBytes) {
        return new RefusedRequestException(
                HttpStatus.CONTENT_TOO_LARGE,
                "body: larger than max_body_size, " + maxBodyBytes + " bytes");
    }
}
