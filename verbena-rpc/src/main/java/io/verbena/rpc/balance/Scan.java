// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.balance;

import io.verbena.rpc.spi.CallContext;
import io.verbena.rpc.spi.LoadBalancer;
import java.util.concurrent.ThreadLocalRandom;

/** What balancers do when the server they wanted is not available: look at all of them. */
final class Scan {
    private Scan() {}

    /**
     * {@return any available server, or NONE} Starts anywhere, because the neighbour of a dead
     * server must not get all its calls.
     */
    static int anyAvailable(CallContext call) {
        int size = call.size();
        return size == 0
                ? LoadBalancer.NONE
                : firstAvailable(call, ThreadLocalRandom.current().nextInt(size));
    }

    /** {@return the first available server from a place on, wrapping around, or NONE} */
    static int firstAvailable(CallContext call, int from) {
        int size = call.size();
        for (int i = from; i < size; i++) {
            if (call.isAvailable(i)) {
                return i;
            }
        }
        for (int i = 0; i < from; i++) {
            if (call.isAvailable(i)) {
                return i;
            }
        }
        return LoadBalancer.NONE;
    }
}
