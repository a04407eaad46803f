// SPDX-License-Identifier: Apache-2.0
package io.verbena.grpc;

/** A peer's messages cannot be read on. */
final class MalformedMessageException extends Exception {
    private static final long serialVersionUID = 1L;

    private final GrpcStatus status;

    MalformedMessageException(GrpcStatus status, String text) {
        super(text, null, false, false);
        this.status = status;
    }

    /** {@return what the peer is told} */
    GrpcStatus status() {
        return status;
    }
}
