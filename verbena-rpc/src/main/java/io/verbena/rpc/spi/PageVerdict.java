// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.spi;

/** Whether a client has a {@link PageRight}. */
public enum PageVerdict {
    /** It has. */
    ALLOWED,
    /** It would need credentials, or others. */
    UNAUTHENTICATED,
    /** It is known, but not one of those who have the right. */
    FORBIDDEN,
    /** The server gives the right to nobody. */
    OFF
}
