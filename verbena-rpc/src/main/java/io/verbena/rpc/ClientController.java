// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.memory.BlockPool;
import java.util.Optional;

/** The controller of a call this process makes. */
final class ClientController extends Controller {
    private volatile Optional<CallEngine> engine = Optional.empty();
    private volatile long id;

    ClientController(BlockPool pool) {
        super(pool);
    }

    /** A call begins. */
    void begin(CallEngine owner, long callId) {
        // the id first: who sees the engine sees its id, and one of an earlier call finds nothing
        id = callId;
        if (engine.isEmpty()) {
            engine = Optional.of(owner);
        }
    }

    @Override
    public void startCancel() {
        engine.ifPresent(owner -> owner.cancel(id));
    }

    @Override
    public boolean isCanceled() {
        return errorCode() == RpcError.ECANCELED.code();
    }
}
