// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft.cm;

import io.verbena.verbs.ConnectionEvent;

/** The reasons that this connection manager gives in a REJ, with the numbers of the CM protocol. */
final class CmRejectReason {
    /** More requests wait than the listener's backlog allows. */
    static final int NO_RESOURCES = 3;

    /** The active side gave up before it was answered. */
    static final int TIMEOUT = 4;

    /** There is no listener on that port. */
    static final int INVALID_SERVICE = ConnectionEvent.REJECTED_NO_LISTENER;

    /** The request's path MTU is larger than this device's. */
    static final int INVALID_MTU = 26;

    /** The application refused. */
    static final int CONSUMER = ConnectionEvent.REJECTED_BY_CONSUMER;

    /** The peer speaks another version of this protocol. */
    static final int VERSION = 31;

    private CmRejectReason() {}
}
