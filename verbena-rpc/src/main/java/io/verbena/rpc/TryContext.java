// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.Descriptors.MethodDescriptor;
import io.verbena.rpc.spi.CallContext;

/**
 * The servers of a channel as one try of a call sees them. Each {@link PendingCall} has one for all
 * its tries, so that choosing a server allocates nothing. For the owner of the call.
 */
final class TryContext implements CallContext {
    private static final Target[] NONE = {};

    private final PendingCall call;
    private Target[] targets = NONE;
    private boolean isTriedAvoided;
    private long slowStartNs;

    TryContext(PendingCall call) {
        this.call = call;
    }

    /** {@return this, with these servers} */
    TryContext over(Target[] servers, long slowStart) {
        targets = servers;
        isTriedAvoided = true;
        slowStartNs = slowStart;
        return this;
    }

    /** {@return this, with every server that can be reached: none is left that is better} */
    TryContext overAny(Target[] servers) {
        targets = servers;
        isTriedAvoided = false;
        slowStartNs = 0;
        return this;
    }

    void clear() {
        targets = NONE;
    }

    @Override
    public int size() {
        return targets.length;
    }

    @Override
    public boolean isAvailable(int index) {
        Target target = targets[index];
        return target.isAvailable()
                && !(isTriedAvoided && call.tried.contains(target.node()))
                && (slowStartNs == 0 || target.isWarmEnough(slowStartNs));
    }

    @Override
    public boolean hasRequestCode() {
        return call.controller.hasRequestCode();
    }

    @Override
    public long requestCode() {
        return call.controller.requestCode();
    }

    @Override
    public MethodDescriptor method() {
        return call.controller.method();
    }

    @Override
    public int tries() {
        return CallId.attempt(call.id());
    }
}
