// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.handshake;

import io.verbena.transport.HandshakeState;
import io.verbena.transport.RdmaState;
import io.verbena.transport.TransportException;
import java.nio.ByteBuffer;
import java.util.Optional;

/** A server that supports both handshakes: the client's first bytes decide which one. */
final class ServerChoice implements Handshake {
    private final HelloServer hello;
    private final RdmaCmServer manager;
    private volatile Handshake chosen;
    private boolean isDecided;

    /**
     * Creates a handshake that has not begun.
     *
     * @param hello used unless the client asks for the other
     * @param manager the other handshake
     */
    ServerChoice(HelloServer hello, RdmaCmServer manager) {
        this.hello = hello;
        this.manager = manager;
        this.chosen = hello;
    }

    @Override
    public HandshakeState state() {
        return chosen.state();
    }

    @Override
    public RdmaState rdmaState() {
        return chosen.rdmaState();
    }

    @Override
    public int version() {
        return chosen.version();
    }

    @Override
    public Optional<String> objection() {
        return chosen.objection();
    }

    @Override
    public void begin() {
        hello.begin();
    }

    @Override
    public void receive(ByteBuffer in) {
        if (!isDecided && HelloVersion.V2.mayBegin(in)) {
            if (in.remaining() < RdmaCmMessages.DISTINCT_BYTES) {
                return;
            }
            chosen = RdmaCmMessages.begins(in) ? manager : hello;
        }
        isDecided = true;
        chosen.receive(in);
    }

    @Override
    public void fail(TransportException reason) {
        chosen.fail(reason);
    }
}
