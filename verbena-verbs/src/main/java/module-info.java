// SPDX-License-Identifier: Apache-2.0
/**
 * The verbs vocabulary: devices, protection domains, memory regions, completion queues, queue pairs
 * and the connection manager, with no implementation. Providers plug in through {@link
 * io.verbena.verbs.spi.VerbsProvider}.
 */
module io.verbena.verbs {
    exports io.verbena.verbs;
    exports io.verbena.verbs.spi;

    uses io.verbena.verbs.spi.VerbsProvider;
}
