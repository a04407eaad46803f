// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.spi;

import io.verbena.verbs.ConnectionEvent;

/**
 * A connection event that waits to be taken.
 *
 * @param owner who takes it along to another channel or to the grave; of a CONNECT_REQUEST the
 *     listener
 * @param event what happened
 */
public record OwnedEvent(ReportingIdentifier owner, ConnectionEvent event) {}
