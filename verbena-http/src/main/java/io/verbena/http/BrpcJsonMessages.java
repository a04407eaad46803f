// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import io.verbena.rpc.ContentType;

/** JSON with the names of the {@code .proto} file, as brpc writes it. */
public final class BrpcJsonMessages extends JsonMessages {
    /** The format; {@code ServiceLoader} creates it. */
    public BrpcJsonMessages() {
        super(ContentType.JSON, MessageCodec.Names.OF_THE_PROTO);
    }
}
