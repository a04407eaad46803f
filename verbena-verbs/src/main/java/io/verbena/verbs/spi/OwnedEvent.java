// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.spi;

import io.verbena.verbs.ConnectionEvent;

/**
 * A connection event that waits to be taken.
 *
 * @param owner the identifier whose migration moves the event and whose closing removes it; for a
 *     CONNECT_REQUEST the listener
 * @param event what happened
 */
public record OwnedEvent(ReportingIdentifier owner, ConnectionEvent event) {}
