// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

/** What the handshake sets up in tests that are about the bytes on TCP. */
public enum EndpointKind {
    /** Nothing, as in brpc's own tests: the bytes can be compared with a baseline. */
    PRETENDED,
    /** Queue pairs of the device under test; the raw peer's are real, too. */
    DEVICE
}
