// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import io.verbena.completion.Notices;
import io.verbena.transport.TransportError;
import io.verbena.transport.TransportException;
import io.verbena.verbs.AsyncEvent;
import io.verbena.verbs.ConnectionIdentifier;
import io.verbena.verbs.QueuePair;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The endpoints of a domain: makes them, passes device events to them, ends them. */
final class QueuePairEndpoints implements RdmaEndpoints {
    private static final Logger LOG = LoggerFactory.getLogger(QueuePairEndpoints.class);

    private final EndpointSettings settings;
    private final Dispatchers dispatchers;

    /** Endpoints are made inside, so that none is made while all are being ended. */
    private final MakersGate gate = new MakersGate();

    private volatile boolean isDisabled;
    private volatile boolean isPortDown;

    QueuePairEndpoints(EndpointSettings settings, Dispatchers dispatchers) {
        this.settings = settings;
        this.dispatchers = dispatchers;
    }

    @Override
    public boolean isAvailable() {
        return !isDisabled && !isPortDown;
    }

    @Override
    public void disable() {
        isDisabled = true;
    }

    @Override
    public RdmaEndpoint allocate(Side side) {
        return make(() -> settings.queuePairs().claim(side));
    }

    @Override
    public RdmaEndpoint allocate(Side side, ConnectionIdentifier identifier) {
        return make(() -> settings.queuePairs().claim(side, identifier));
    }

    private RdmaEndpoint make(Supplier<QueuePairLease> claim) {
        if (!gate.tryEnter()) {
            throw new TransportException(TransportError.ERDMA, "the RDMA domain is closed");
        }
        try {
            return endpoint(claim.get()).start();
        } catch (Throwable e) { // the handshake says why, and continues over TCP
            throw DeviceFailure.of("making a queue pair", e);
        } finally {
            gate.leave();
        }
    }

    private QueuePairEndpoint endpoint(QueuePairLease lease) {
        try {
            return new QueuePairEndpoint(settings, lease);
        } catch (Throwable e) { // it allocates outside of the heap
            settings.queuePairs().giveBack(lease);
            throw e;
        }
    }

    /** Passes an event on to those it concerns. */
    void onEvent(AsyncEvent event) {
        switch (event.type()) {
            case QP_FATAL, QP_REQUEST_ERROR, QP_ACCESS_ERROR ->
                    event.queuePair().ifPresent(pair -> tell(pair, event.type().toString()));
            case CQ_ERROR -> dispatchers.all().forEach(one -> one.execute(() -> {}));
            case DEVICE_FATAL -> failAll("DEVICE_FATAL");
            case PORT_ERROR -> onPort(event, true);
            case PORT_ACTIVE -> onPort(event, false);
            case LID_CHANGE, GID_CHANGE -> settings.port().refresh();
            default -> LOG.debug("{}: {}", settings.port(), event.type());
        }
    }

    private void tell(QueuePair pair, String event) {
        settings.directory()
                .find(pair.number())
                .ifPresent(endpoint -> endpoint.onDeviceEvent(event));
    }

    private void onPort(AsyncEvent event, boolean isDown) {
        if (event.port() == settings.port().number()) {
            isPortDown = isDown;
            if (isDown) {
                Notices.warn(
                        QueuePairEndpoints.class,
                        settings.port()
                                + ": "
                                + event.type()
                                + "; new connections use TCP until the port is active again");
            } else {
                LOG.info("{}: {}; new connections use RDMA", settings.port(), event.type());
            }
        }
    }

    private void failAll(String event) {
        disable();
        LOG.error("{}: {}; new connections use TCP", settings.port(), event);
        endAll(new TransportException(TransportError.ERDMA, "the device reports " + event));
    }

    private void endAll(TransportException reason) {
        settings.directory().all().forEach(endpoint -> endpoint.abort(reason));
    }

    @Override
    public void close() {
        for (Dispatcher dispatcher : dispatchers.all()) {
            if (dispatcher.poller().isHolder()) {
                throw new IllegalStateException(
                        "close: called by a handler (expected: by another thread)");
            }
        }
        gate.close();
        endAll(new TransportException(TransportError.ECLOSE, "the RDMA domain is closed"));
        settings.queuePairs().shut();
        dispatchers.end();
    }
}
