// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.ibv;

import io.verbena.verbs.ConnectionParameters;
import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.spi.ConnectionArguments;

/** What a side answers to its peer's offer, within the limits of the device. */
final class CmOffer {
    private CmOffer() {}

    /**
     * {@return the parameters of an answer, where "as many as possible" is no more than the peer
     * can use}
     *
     * @param verb the calling verb
     * @param wanted what the application asks for
     * @param offered what the peer has offered, seen from this side
     * @param context the device
     */
    static ConnectionParameters answer(
            String verb,
            ConnectionParameters wanted,
            ConnectionParameters offered,
            DeviceContext context) {
        ConnectionParameters limited =
                ConnectionArguments.limited(verb, wanted, context.queryDevice());
        return limited.withReadAtomic(
                agreed(
                        wanted.responderResources(),
                        limited.responderResources(),
                        offered.responderResources()),
                agreed(
                        wanted.initiatorDepth(),
                        limited.initiatorDepth(),
                        offered.initiatorDepth()));
    }

    private static int agreed(int wanted, int limited, int offered) {
        return wanted == ConnectionArguments.AS_MANY_AS_POSSIBLE
                ? Math.min(limited, offered)
                : limited;
    }
}
