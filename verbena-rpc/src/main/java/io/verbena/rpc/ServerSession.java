// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.completion.Faults;
import io.verbena.memory.BlockPool;
import io.verbena.memory.IOBuf;
import io.verbena.rpc.spi.PageRight;
import io.verbena.rpc.spi.PageVerdict;
import io.verbena.rpc.spi.ServerConnection;
import io.verbena.rpc.spi.ServerProtocol;
import io.verbena.rpc.spi.ServerRequest;
import io.verbena.rpc.spi.ServerView;
import io.verbena.transport.Connection;
import io.verbena.transport.ConnectionHandler;
import io.verbena.transport.TlsSession;
import io.verbena.transport.TransportError;
import io.verbena.transport.TransportException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A client's connection: finds out which protocol each message belongs to. */
final class ServerSession implements ConnectionHandler, ServerConnection, ConnectionStreams.Wire {
    private static final Logger LOG = LoggerFactory.getLogger(ServerSession.class);

    /** What is left to say when there is no memory for another exception. */
    @SuppressWarnings("StaticAssignmentOfThrowable") // it cannot be made on demand
    private static final TransportException UNSAID =
            new TransportException(
                    TransportError.EINTERNAL, "there is no memory to say what failed");

    private final ServerCore core;
    private final ServerPort port;
    private final ServerProtocol.Parser[] parsers;
    private final CorkedWriter writer;
    private final ConnectionStreams streams;
    private final Map<IncomingCall, Cancellation> cancellations = new ConcurrentHashMap<>();
    private volatile Connection connection;
    private volatile boolean isClosed;
    private volatile String serverIdentity = "";
    private volatile String clientIdentity = "";
    private int current;
    private boolean isClosing;

    /** The connection's thread. */
    private boolean isAdmitted;

    /** Whether the server watches that the rest of a request arrives. The connection's thread. */
    private boolean isWatched;

    /** How long the answer to the last failed attempt waits. The connection's thread. */
    private long refusalDelayMs;

    /** The connection's thread. */
    private long receivedNs;

    /** Whether collected answers keep the server from closing. The connection's thread. */
    private boolean isHolding;

    ServerSession(ServerCore core, ServerPort port) {
        this.core = core;
        this.port = port;
        this.parsers = new ServerProtocol.Parser[port.protocols().size()];
        this.writer =
                new CorkedWriter(core.pool().buffer(), ServerSession::writeCollected, this::onLost);
        this.streams = new ConnectionStreams(this, core.streamContext());
    }

    ServerCore core() {
        return core;
    }

    BlockPool pool() {
        return core.pool();
    }

    ConnectionStreams streams() {
        return streams;
    }

    @Override
    public Connection connection() {
        return connection;
    }

    @Override
    public void writeStream(IOBuf frame) {
        // never collected: what other threads write next must not overtake it
        connection.writeSoon(frame);
    }

    /** Only a client has calls that are answered on streams. */
    @Override
    public void onResponse(IOBuf response) {
        response.clear();
    }

    boolean isClosed() {
        return isClosed;
    }

    /**
     * {@return when the requests that are being read arrived, in terms of {@link System#nanoTime}}
     * Read once for all of them. The connection's thread.
     */
    long receivedNs() {
        return receivedNs;
    }

    /** {@return the server as error texts name it, {@code [ip:port]}} */
    String serverIdentity() {
        return serverIdentity;
    }

    /** {@return who the client is, according to the authenticator or its certificate} */
    String identity() {
        return clientIdentity;
    }

    @Override
    public Connection transport() {
        return connection;
    }

    @Override
    public ServerView server() {
        return core;
    }

    @Override
    public boolean hasCalls() {
        return port.hasCalls();
    }

    @Override
    public boolean hasPages() {
        return port.hasPages();
    }

    @Override
    public String authenticate(byte[] credential) {
        Optional<Authenticator> auth = core.options().auth();
        if (auth.isEmpty()) {
            return "";
        }
        String refusal = auth.get().verify(credential, connection);
        if (refusal.isEmpty()) {
            clientIdentity = auth.get().identify(credential, connection);
        } else {
            onFailedAttempt(credential);
        }
        return refusal;
    }

    /** Who sends nothing has guessed nothing: browsers do so first. */
    void onFailedAttempt(byte[] credential) {
        if (credential.length > 0) {
            refusalDelayMs = core.failures().record(connection.remoteAddress());
        }
    }

    @Override
    public void answerRefused(Runnable answer) {
        long delayMs = refusalDelayMs;
        refusalDelayMs = 0;
        if (delayMs == 0) {
            answer.run();
        } else {
            core.later(answer, delayMs);
        }
    }

    @Override
    public boolean admitsPeers() {
        return true;
    }

    /** The client has sent a request that it may send. The connection's thread. */
    void admit() {
        if (!isAdmitted) {
            isAdmitted = true;
            connection.admit();
        }
    }

    @Override
    public PageVerdict authorize(PageRight right, byte[] credential) {
        PageVerdict verdict = core.pages().decide(right, this, credential);
        if (verdict == PageVerdict.ALLOWED) {
            admitOrRenew(right);
        }
        return verdict;
    }

    /** Whoever may see a page has proved nothing if everyone may. */
    private void admitOrRenew(PageRight right) {
        if (core.options().auth().isEmpty() || core.pages().asksForCredentials(right)) {
            admit();
        } else if (!isAdmitted) {
            connection.renew();
        }
    }

    @Override
    public void accept(ServerRequest request) {
        core.accept(this, request);
    }

    @Override
    public void onOpen(Connection opened) {
        attach(opened);
    }

    private void attach(Connection opened) {
        connection = opened;
        clientIdentity = opened.tls().map(TlsSession::identity).orElse("");
        serverIdentity = "[" + Addresses.text(opened.localAddress()) + "]";
    }

    @Override
    public void onData(Connection from, IOBuf received) {
        receivedNs = System.nanoTime();
        writer.cork();
        try {
            while (!received.isEmpty() && !isClosing && consumeNext(from, received)) {
                // one message after the other
            }
        } catch (Throwable e) {
            // a protocol failed between two messages, so it is unknown where the next one begins
            received.clear();
            cut("reading failed", e);
        } finally {
            try {
                writer.uncork(from);
            } finally {
                releaseServer();
            }
        }
        if (isClosing) {
            received.clear();
            from.close();
        }
        watch(from, received);
    }

    private void watch(Connection from, IOBuf received) {
        ServerProtocol.Parser reading = parsers[current];
        boolean isIncomplete =
                !received.isEmpty() || reading != null && !reading.isBetweenMessages();
        if (isIncomplete == isWatched) {
            return;
        }
        isWatched = isIncomplete;
        if (isIncomplete) {
            core.requests().begin(from, parser(current));
        } else {
            core.requests().end(from);
        }
    }

    private void releaseServer() {
        if (isHolding) {
            isHolding = false;
            core.gate().sent();
        }
    }

    /** A call is answered. If the answer is only collected so far, the server waits for it. */
    void leave() {
        if (writer.isCorkedHere() && !isHolding) {
            isHolding = true;
            core.gate().leaveUnsent();
        } else {
            core.gate().leave();
        }
    }

    private boolean consumeNext(Connection from, IOBuf received) {
        for (int i = 0; i < parsers.length; i++) {
            int index = (current + i) % parsers.length;
            switch (parser(index).consume(received)) {
                case CONSUMED -> {
                    current = index;
                    return true;
                }
                case NEED_MORE -> {
                    current = index;
                    return false;
                }
                case CLOSED -> {
                    received.clear();
                    return false;
                }
                case NOT_MINE -> {}
            }
        }
        refuse(from, received);
        return false;
    }

    /** No protocol recognizes the bytes, so it is unknown where the next message begins. */
    private void refuse(Connection from, IOBuf received) {
        String what = UnknownInput.describe(received, port.names());
        received.clear();
        LOG.info("closing the connection of {}: {}", from.remoteAddress(), what);
        from.abort(
                new TransportException(
                        TransportError.EPROTO, "from " + from.remoteAddress() + ": " + what));
    }

    /** Something failed that this connection cannot go on after: ends it now. Never throws. */
    void cut(String what, Throwable fault) {
        try {
            // before the report, which takes more memory
            connection.abort(failure(what, fault));
        } catch (Throwable e) {
            Faults.warn(ServerSession.class, "closing failed", this, e);
        }
        Faults.warn(ServerSession.class, what, this, fault);
    }

    private static TransportException failure(String what, Throwable fault) {
        try {
            return new TransportException(
                    TransportError.EINTERNAL, Faults.describe(what, fault), fault);
        } catch (Throwable e) { // no memory, or a class that could not be loaded without
            return UNSAID;
        }
    }

    private ServerProtocol.Parser parser(int index) {
        ServerProtocol.Parser parser = parsers[index];
        if (parser == null) {
            parser = port.protocols().get(index).parser(this);
            parsers[index] = parser;
        }
        return parser;
    }

    @Override
    public void write(IOBuf message) {
        writer.writeSoon(connection, message, 0);
    }

    /** Writes the frame that a builder has made. */
    void write(FrameBuilder builder) {
        writer.write(connection, builder, 0, true);
    }

    /**
     * Writes what takes the place of an answer that could not be written. If not even that can be
     * sent, the client reads nothing: its connection ends, so that its calls do.
     *
     * @param frame is emptied
     */
    void writeError(IOBuf frame) {
        writeBeyondLimit(connection, frame);
    }

    private static void writeBeyondLimit(Connection to, IOBuf answers) {
        try {
            to.writeBeyondLimit(answers);
        } catch (TransportException e) {
            answers.clear();
            LOG.debug("an answer to {} is lost", to, e);
            if (e.error() == TransportError.EOVERCROWDED) {
                to.abort(e);
            }
        }
    }

    /** Collected answers are short: they are sent although much is waiting. */
    private static void writeCollected(Connection to, IOBuf answers) {
        try {
            to.write(answers);
        } catch (TransportException e) {
            if (e.error() != TransportError.EOVERCROWDED) {
                throw e;
            }
            writeBeyondLimit(to, answers);
        }
    }

    /** Only the client waits for answers, so there is no one to notify here. */
    private void onLost(long id, TransportException reason) {
        LOG.debug("an answer to {} is lost", connection, reason);
    }

    @Override
    public void closeAfterWrites() {
        if (writer.isCorkedHere()) {
            isClosing = true;
        } else {
            connection.close();
        }
    }

    @Override
    public void onClose(Connection ended, TransportException reason) {
        isClosed = true;
        // one inside the other: each has somebody who waits for it
        try {
            core.requests().end(ended);
        } finally {
            try {
                streams.onClose(reason);
            } finally {
                endCalls();
            }
        }
    }

    private void endCalls() {
        try {
            for (ServerProtocol.Parser parser : parsers) {
                if (parser != null) {
                    close(parser);
                }
            }
        } finally {
            cancellations.keySet().forEach(this::tellCancelled);
        }
    }

    private void close(ServerProtocol.Parser parser) {
        try {
            parser.onClose();
        } catch (Throwable e) {
            Faults.warn(ServerSession.class, "the end of a parser failed", this, e);
        }
    }

    /** Notifies a service, once, when the client is gone or the call is over. */
    void onCancel(IncomingCall call, Runnable action) {
        cancellations.put(call, new Cancellation(action));
        if (call.isCanceled() || call.isOver()) {
            tellCancelled(call);
        }
    }

    /** A call is over, or its client does not wait any more. */
    void forget(IncomingCall call) {
        if (!cancellations.isEmpty()) {
            tellCancelled(call);
        }
    }

    private void tellCancelled(IncomingCall call) {
        Cancellation action = cancellations.remove(call);
        if (action != null) {
            action.start();
        }
    }

    /** Once: a start that fails may have handed it over all the same. */
    private final class Cancellation implements Runnable {
        private final Runnable action;
        private final AtomicBoolean isBegun = new AtomicBoolean();

        Cancellation(Runnable action) {
            this.action = action;
        }

        void start() {
            try {
                Thread.ofVirtual().name("verbena-rpc-cancel").start(this);
            } catch (Throwable e) { // without a thread for it, the others must be told, too
                run();
            }
        }

        @Override
        public void run() {
            if (!isBegun.compareAndSet(false, true)) {
                return;
            }
            try {
                action.run();
            } catch (Throwable e) {
                Faults.warn(
                        ServerSession.class,
                        "what a service does when its call is canceled failed",
                        ServerSession.this,
                        e);
            }
        }
    }

    @Override
    public String toString() {
        return "session of " + connection;
    }
}
