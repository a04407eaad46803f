// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.ReceiveWorkRequest;
import io.verbena.verbs.SendWorkRequest;
import java.lang.foreign.Arena;

/**
 * Work requests that all connections of a loop fill and post, one after the other. Inside the turn.
 */
final class Requests {
    final SendWorkRequest send;
    final ReceiveWorkRequest receive;

    /** For one control message; sent inline, so it is free again at once. */
    final MemoryRegion metaData;

    Requests(Arena arena, ProtectionDomain domain) {
        this.send = SendWorkRequest.allocate(arena, 1);
        this.receive = ReceiveWorkRequest.allocate(arena, 1);
        this.metaData = domain.allocate(MetaData.BYTES);
    }
}
