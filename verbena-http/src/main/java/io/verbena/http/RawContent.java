// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import java.nio.charset.StandardCharsets;

/**
 * Bytes that are sent unchanged.
 *
 * @param contentType their content type
 * @param bytes the bytes; never modified
 */
@SuppressWarnings("ArrayRecordComponent") // read once, when it is sent
record RawContent(String contentType, byte[] bytes) implements PageContent {
    /** {@return text that is the same for every client} */
    static RawContent text(String text) {
        return new RawContent("text/plain; charset=utf-8", text.getBytes(StandardCharsets.UTF_8));
    }
}
