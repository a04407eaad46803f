// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

/** Whether a server asks its clients for certificates. */
public enum ClientAuth {
    /** It does not. */
    NONE,
    /** It does, and accepts clients that have none. A certificate that is wrong is refused. */
    OPTIONAL,
    /** It does, and refuses clients that have none. */
    REQUIRED
}
