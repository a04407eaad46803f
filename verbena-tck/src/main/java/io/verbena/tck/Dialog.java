// SPDX-License-Identifier: Apache-2.0
package io.verbena.tck;

import io.verbena.verbs.ConnectionEvent;
import io.verbena.verbs.ConnectionEventType;
import io.verbena.verbs.ConnectionIdentifier;
import io.verbena.verbs.ConnectionParameters;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.WorkCompletionOpcode;
import io.verbena.verbs.WorkCompletionStatus;

/** A client and a server with a listener, and the steps of connecting them one by one. */
final class Dialog implements AutoCloseable {
    private static final int BACKLOG = 16;
    private static final int RECEIVES = 4;

    private final Resources resources = new Resources();
    private final ConnectionEnd client;
    private final ConnectionEnd server;
    private final ConnectionIdentifier listener;

    /** The two ends of a connection, established or on the way. */
    record Line(ConnectionIdentifier active, ConnectionIdentifier passive) {
        QueuePair activePair() {
            return active.queuePair().orElseThrow();
        }

        QueuePair passivePair() {
            return passive.queuePair().orElseThrow();
        }
    }

    Dialog(VerbsFixture fixture) {
        server = resources.add(new ConnectionEnd(fixture, fixture.openTarget()));
        client = resources.add(new ConnectionEnd(fixture, fixture.openInitiator()));
        listener = server.listen(BACKLOG);
    }

    ConnectionEnd client() {
        return client;
    }

    ConnectionEnd server() {
        return server;
    }

    ConnectionIdentifier listener() {
        return listener;
    }

    /** {@return the active identifier, ready to connect, with receives posted} */
    ConnectionIdentifier prepareActive() throws InterruptedException {
        ConnectionIdentifier identifier = client.resolve(listener);
        postReceives(client, client.createQueuePair(identifier));
        return identifier;
    }

    /** {@return the active identifier, connecting} */
    ConnectionIdentifier startConnect(ConnectionParameters parameters) throws InterruptedException {
        ConnectionIdentifier identifier = prepareActive();
        identifier.connect(parameters);
        return identifier;
    }

    /**
     * {@return both ends; the passive one has a queue pair with receives and has not answered yet}
     */
    Line request(ConnectionParameters parameters) throws InterruptedException {
        ConnectionIdentifier active = startConnect(parameters);
        ConnectionEvent event = server.expect(ConnectionEventType.CONNECT_REQUEST);
        postReceives(server, server.createQueuePair(event.identifier()));
        return new Line(active, event.identifier());
    }

    /** {@return both ends, connected, with receives 1 to 4 posted on both sides} */
    Line establish() throws InterruptedException {
        Line line = request(ConnectionParameters.DEFAULT);
        line.passive().accept(ConnectionParameters.DEFAULT);
        client.expect(ConnectionEventType.ESTABLISHED);
        server.expect(ConnectionEventType.ESTABLISHED);
        return line;
    }

    /** Sends a message each way and takes the completions. */
    void exchange(Line line) {
        client.postSend(line.activePair(), 100);
        take(server, WorkCompletionOpcode.RECEIVE);
        take(client, WorkCompletionOpcode.SEND);
        server.postSend(line.passivePair(), 100);
        take(client, WorkCompletionOpcode.RECEIVE);
        take(server, WorkCompletionOpcode.SEND);
    }

    private static void take(ConnectionEnd end, WorkCompletionOpcode opcode) {
        end.awaitCompletion().assertSuccess(opcode);
    }

    static void postReceives(ConnectionEnd end, QueuePair pair) {
        for (int id = 1; id <= RECEIVES; id++) {
            end.postReceive(pair, id);
        }
    }

    /** Takes the flushed receives that {@link #establish} posted, from the given one on. */
    static void expectFlush(ConnectionEnd end, int firstId) {
        for (int id = firstId; id <= RECEIVES; id++) {
            end.awaitCompletion()
                    .assertId(id)
                    .assertStatus(WorkCompletionStatus.WORK_REQUEST_FLUSHED);
        }
    }

    @Override
    public void close() {
        resources.close();
    }
}
