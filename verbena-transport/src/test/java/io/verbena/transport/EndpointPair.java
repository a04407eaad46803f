// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

import io.verbena.memory.IOBuf;

/** Two connected endpoints that told each other their hellos by hand. */
final class EndpointPair implements AutoCloseable {
    final RdmaDomain leftDomain;
    final RdmaDomain rightDomain;
    final RdmaEndpoint left;
    final RdmaEndpoint right;

    private EndpointPair(RdmaDomain leftDomain, RdmaDomain rightDomain) {
        this.leftDomain = leftDomain;
        this.rightDomain = rightDomain;
        this.left = leftDomain.endpoints().allocate();
        this.right = rightDomain.endpoints().allocate();
        Hello leftHello = left.hello();
        Hello rightHello = right.hello();
        right.bringUp(leftHello);
        left.bringUp(rightHello);
    }

    /** {@return a pair that is connected and not open} */
    static EndpointPair connect(RdmaDomain left, RdmaDomain right) {
        return new EndpointPair(left, right);
    }

    /** {@return a pair that is open} */
    static EndpointPair open(
            RdmaDomain left, RdmaDomain right, RdmaEndpoint.Sink a, RdmaEndpoint.Sink b) {
        EndpointPair pair = connect(left, right);
        pair.left.open(a);
        pair.right.open(b);
        return pair;
    }

    /** {@return a reason to end from this side} */
    static TransportException bye() {
        return new TransportException(TransportError.ECLOSE, "the test ends it");
    }

    /** {@return a reason to end from the other side} */
    static TransportException peerBye() {
        return new TransportException(TransportError.EEOF, "the test's peer ends it");
    }

    IOBuf leftBytes(byte[] bytes) {
        return leftDomain.pool().buffer().append(bytes);
    }

    IOBuf rightBytes(byte[] bytes) {
        return rightDomain.pool().buffer().append(bytes);
    }

    @Override
    public void close() {
        left.abort(bye());
        right.abort(bye());
    }
}
