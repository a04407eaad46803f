// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft.cm;

import io.verbena.verbs.Errno;
import io.verbena.verbs.PathMtu;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.soft.cm.CmMessage.Request;
import io.verbena.verbs.spi.IdentifierState;
import java.io.IOException;
import java.net.InetAddress;
import java.util.concurrent.Semaphore;

/** The part of an identifier that takes requests, checks them and turns them into identifiers. */
final class CmListener {
    private final ConnectionManager manager;
    private final IdentifierState state;
    private final CmPort port;
    private final InetAddress host;
    private final PathMtu mtu;
    private final Semaphore backlog = new Semaphore(0);

    /**
     * A listener that is not listening yet.
     *
     * @param manager the connection manager
     * @param state the state of the listening identifier
     * @param port where requests come in
     * @param host the address that requests must be for; the wildcard takes all
     */
    CmListener(ConnectionManager manager, IdentifierState state, CmPort port, InetAddress host) {
        this.manager = manager;
        this.state = state;
        this.port = port;
        this.host = host;
        this.mtu = manager.context().queryPort(ConnectionManager.PORT).activeMtu();
    }

    /** Starts taking requests; does not block. */
    void listen(int requests) {
        backlog.release(requests);
        port.listen(this::onRequest);
    }

    void requestTaken() {
        backlog.release();
    }

    void close() {
        try {
            port.close();
        } catch (IOException e) {
            throw new VerbsException(
                    "rdma_destroy_id", Errno.EIO, "port: " + port.number() + ", " + e, e);
        }
    }

    private void onRequest(CmSocket socket, Request request) {
        if (!host.isAnyLocalAddress() && !host.equals(request.destination().getAddress())) {
            CmPort.refuse(socket, CmRejectReason.INVALID_SERVICE);
        } else if (request.mtu().code() > mtu.code()) {
            CmPort.refuse(socket, CmRejectReason.INVALID_MTU);
        } else if (!backlog.tryAcquire()) {
            CmPort.refuse(socket, CmRejectReason.NO_RESOURCES);
        } else {
            take(socket, request);
        }
    }

    private void take(CmSocket socket, Request request) {
        SoftConnectionIdentifier requested =
                SoftConnectionIdentifier.requested(manager, socket, request);
        boolean reported =
                state.reportRequest(
                        requested,
                        ConnectionPath.seenFromHere(request.offer(), request.privateData()));
        if (reported) {
            requested.readAll();
        } else {
            requested.refuseUntaken();
        }
    }
}
