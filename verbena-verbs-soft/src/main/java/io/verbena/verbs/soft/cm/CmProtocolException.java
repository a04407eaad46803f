// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft.cm;

import java.io.IOException;

/** A peer's connection manager sent something that is not a message of the protocol. */
final class CmProtocolException extends IOException {
    private static final long serialVersionUID = 1L;

    private final boolean otherVersion;

    CmProtocolException(String message) {
        this(message, false);
    }

    private CmProtocolException(String message, boolean otherVersion) {
        super(message);
        this.otherVersion = otherVersion;
    }

    static CmProtocolException otherVersion(int version, int expected) {
        return new CmProtocolException(
                "version: " + version + " (expected: " + expected + ")", true);
    }

    /** {@return whether the peer may be correct but speaks another version} */
    boolean isOtherVersion() {
        return otherVersion;
    }
}
