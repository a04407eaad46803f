// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import io.verbena.memory.IOBuf;
import io.verbena.rpc.CompressType;
import java.io.IOException;
import java.util.Optional;

/** How bodies are compressed: gzip, or not at all. */
final class BodyCoding {
    static final String GZIP = "gzip";

    private BodyCoding() {}

    /**
     * {@return the body without its coding: another buffer, or the same one}
     *
     * @param coding the header {@code content-encoding}
     * @param body the body as it arrived
     * @param maxBytes how large the result may be
     * @throws IOException if the coding is another, or the body does not have it
     */
    static IOBuf decoded(Optional<String> coding, IOBuf body, long maxBytes) throws IOException {
        String name = coding.orElse("identity");
        if (name.equalsIgnoreCase("identity")) {
            return body;
        }
        if (!name.equalsIgnoreCase(GZIP)) {
            throw new IOException("content-encoding: other than gzip");
        }
        IOBuf original = body.pool().buffer();
        boolean isWhole = false;
        try {
            CompressType.GZIP.decompress(body, maxBytes, original);
            isWhole = true;
            return original;
        } finally {
            if (!isWhole) {
                original.close();
            }
        }
    }
}
