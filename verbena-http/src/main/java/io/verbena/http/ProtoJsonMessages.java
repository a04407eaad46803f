// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import io.verbena.rpc.ContentType;

/** JSON with names in camel case, as protobuf writes it. */
public final class ProtoJsonMessages extends JsonMessages {
    /** The format; {@code ServiceLoader} creates it. */
    public ProtoJsonMessages() {
        super(ContentType.PROTO_JSON, MessageCodec.Names.IN_CAMEL_CASE);
    }
}
