// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.ibv;

import io.verbena.verbs.ConnectionParameters;
import io.verbena.verbs.DeviceAttributes;
import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.spi.ConnectionArguments;

/** What a side may offer its peer, within what the device can. */
final class CmOffer {
    private CmOffer() {}

    /**
     * {@return parameters with as many reads and atomics as the device can, if so many are wanted}
     *
     * @param verb who asks
     * @param wanted what the application asks for
     * @param context the device
     */
    static ConnectionParameters limited(
            String verb, ConnectionParameters wanted, DeviceContext context) {
        DeviceAttributes device = context.queryDevice();
        return wanted.withReadAtomic(
                ConnectionArguments.readAtomic(
                        verb,
                        "responderResources",
                        wanted.responderResources(),
                        device.maxReadAtomic()),
                ConnectionArguments.readAtomic(
                        verb,
                        "initiatorDepth",
                        wanted.initiatorDepth(),
                        device.maxInitiatorReadAtomic()));
    }

    /**
     * {@return the same for an answer, where as many as possible are no more than the peer has any
     * use for}
     *
     * @param verb who asks
     * @param wanted what the application asks for
     * @param offered what the peer has offered, seen from this side
     * @param context the device
     */
    static ConnectionParameters answer(
            String verb,
            ConnectionParameters wanted,
            ConnectionParameters offered,
            DeviceContext context) {
        ConnectionParameters limited = limited(verb, wanted, context);
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
