// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import io.verbena.memory.IOBuf;
import io.verbena.transport.TransportError;
import io.verbena.transport.TransportException;

/** Two connected endpoints whose hellos were exchanged by hand. */
public final class EndpointPair implements AutoCloseable {
    public final RdmaDevice leftDomain;
    public final RdmaDevice rightDomain;
    public final RdmaEndpoint left;
    public final RdmaEndpoint right;

    private EndpointPair(RdmaDevice leftDomain, RdmaDevice rightDomain) {
        this.leftDomain = leftDomain;
        this.rightDomain = rightDomain;
        this.left = leftDomain.endpoints().allocate(Side.CLIENT);
        this.right = rightDomain.endpoints().allocate(Side.CLIENT);
        Hello leftHello = left.hello();
        Hello rightHello = right.hello();
        right.bringUp(leftHello);
        left.bringUp(rightHello);
    }

    /** {@return a pair that is connected and not open} */
    public static EndpointPair connect(RdmaDevice left, RdmaDevice right) {
        return new EndpointPair(left, right);
    }

    /** {@return a pair that is open} */
    public static EndpointPair open(
            RdmaDevice left, RdmaDevice right, RdmaEndpoint.Sink a, RdmaEndpoint.Sink b) {
        EndpointPair pair = connect(left, right);
        pair.left.open(a);
        pair.right.open(b);
        return pair;
    }

    /** {@return a reason to end from this side} */
    public static TransportException bye() {
        return new TransportException(TransportError.ECLOSE, "the test ends it");
    }

    /** {@return a reason to end from the other side} */
    public static TransportException peerBye() {
        return new TransportException(TransportError.EEOF, "the test's peer ends it");
    }

    public IOBuf leftBytes(byte[] bytes) {
        return leftDomain.pool().buffer().append(bytes);
    }

    public IOBuf rightBytes(byte[] bytes) {
        return rightDomain.pool().buffer().append(bytes);
    }

    @Override
    public void close() {
        left.abort(bye());
        right.abort(bye());
    }
}
