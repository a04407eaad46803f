// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.handshake;

import io.verbena.verbs.ConnectionEvent;
import io.verbena.verbs.ConnectionEventType;
import io.verbena.verbs.ConnectionIdentifier;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/** Takes a server's connection requests and passes them to the handshakes that wait for them. */
public final class RdmaCmAcceptor implements RdmaCmEvents.Listener, AutoCloseable {
    /** A handshake that waits for a request, and the token that must come with it. */
    private record Expected(int token, RdmaCmServer handshake) {}

    private final LongSupplier ids;
    private final Map<Long, Expected> expected = new ConcurrentHashMap<>();
    private final ConnectionIdentifier listener;

    /**
     * Listens.
     *
     * @param events delivers the requests
     * @param ids numbers that were never used before
     * @param address where the server listens with TCP
     */
    public RdmaCmAcceptor(RdmaCmEvents events, LongSupplier ids, InetSocketAddress address) {
        this.ids = ids;
        this.listener = events.listen(address, this);
    }

    /**
     * {@return the id that a request for this handshake must carry}
     *
     * @param token what the client sent on TCP
     * @param handshake the one that waits
     */
    long expect(int token, RdmaCmServer handshake) {
        long id = ids.getAsLong();
        expected.put(id, new Expected(token, handshake));
        return id;
    }

    /** No handshake waits for a request with this id any more. */
    void forget(long id) {
        expected.remove(id);
    }

    @Override
    public void onEvent(ConnectionEvent event) {
        if (event.type() != ConnectionEventType.CONNECT_REQUEST) {
            return;
        }
        Optional<RdmaCmMessages.Request> request =
                RdmaCmMessages.decodeRequest(event.parameters().privateData());
        Optional<Expected> waiting =
                request.map(asked -> expected.get(asked.id()))
                        .filter(who -> who.token() == request.get().token());
        if (waiting.isPresent() && expected.remove(request.get().id(), waiting.get())) {
            waiting.get().handshake().onRequest(event.identifier(), request.get().limits());
        } else {
            RdmaCmServer.refuse(event.identifier());
        }
    }

    @Override
    public void close() {
        listener.close();
    }
}
