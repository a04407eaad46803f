// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.verbs;

import io.verbena.tools.ToolException;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * The TCP connection over which the two sides agree on what to do next. When it ends, a side learns
 * that the other has died, even while it spins: a thread blocked in {@code read} sets a flag that
 * the spinning loops check.
 *
 * <p>One thread uses it; it has its own reader thread.
 */
final class ControlLink implements AutoCloseable {
    /** The kinds of messages. */
    enum Kind {
        PLAN,
        ADDRESS,
        SIZE,
        PAIRS,
        CONNECTED,
        FLOOR,
        ROUND,
        READY,
        FINISHED,
        VERIFIED,
        IDLE_PAIRS,
        RESIDENT,
        BYE,
        FAILED,
        /** Never sent: queued by the reader thread when the connection has ended. */
        END
    }

    /** One message as received. */
    private static final class Message {
        private final Kind kind;
        private final byte[] body;

        Message(Kind kind, byte... body) {
            this.kind = kind;
            this.body = body;
        }
    }

    private static final int MAX_BODY = 64 << 20;
    private static final int CONNECT_LIMIT_MS = 10_000;

    private final Socket socket;
    private final String peer;
    private final DataOutputStream out;
    private final BlockingQueue<Message> inbox = new LinkedBlockingQueue<>();

    /** Why the peer is gone; empty while it is there. Written by the reader thread. */
    private volatile String gone = "";

    ControlLink(Socket socket, String peer) throws IOException {
        this.socket = socket;
        this.peer = peer;
        socket.setTcpNoDelay(true);
        this.out = new DataOutputStream(socket.getOutputStream());
        DataInputStream in = new DataInputStream(socket.getInputStream());
        Thread.ofPlatform().name("bench-control").daemon().start(() -> readAll(in));
    }

    /**
     * {@return a link to a server}
     *
     * @throws ToolException if no server listens there
     */
    static ControlLink connect(InetSocketAddress server, String peer) {
        Socket socket = new Socket();
        try {
            socket.connect(server, CONNECT_LIMIT_MS);
            return new ControlLink(socket, peer);
        } catch (IOException e) {
            try {
                socket.close();
            } catch (IOException unclosed) {
                e.addSuppressed(unclosed);
            }
            throw unreachable(server.getHostString() + ":" + server.getPort(), e);
        }
    }

    private static ToolException unreachable(String server, IOException cause) {
        String reason =
                switch (cause) {
                    case ConnectException _ -> "nobody listens at " + server;
                    case UnknownHostException _ -> "unknown host in " + server;
                    default -> server + ": " + cause.getMessage();
                };
        return new ToolException(reason + " (expected: a server started with --listen)", cause);
    }

    /** Runs one of the sides. If it fails, sends the reason to the other. */
    void reportingFailure(Runnable half) {
        try {
            half.run();
        } catch (RuntimeException e) {
            try {
                sendFailure(e instanceof ToolException ? e.getMessage() : e.toString());
            } catch (ToolException unreachable) {
                e.addSuppressed(unreachable);
            }
            throw e;
        }
    }

    void send(Kind kind, byte... body) {
        try {
            out.writeUTF(kind.name());
            out.writeInt(body.length);
            out.write(body);
            out.flush();
        } catch (IOException e) {
            throw new ToolException(
                    gone.isEmpty() ? peer + " is gone: " + e.getMessage() : gone, e);
        }
    }

    void send(Kind kind, String body) {
        send(kind, body.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * {@return the body of the next message}
     *
     * @throws ToolException if it is of another kind, the peer is gone, or no message comes in time
     */
    byte[] await(Kind kind, Duration patience) {
        Message message = next(patience);
        if (message.kind != kind) {
            throw unexpected(message, kind.toString());
        }
        return message.body;
    }

    String awaitText(Kind kind, Duration patience) {
        return new String(await(kind, patience), StandardCharsets.UTF_8);
    }

    /** Serves messages until one of the last kind has been served. */
    void serve(Kind last, Duration patience, Handler handler) {
        Kind kind;
        do {
            Message message = next(patience);
            kind = message.kind;
            handler.onMessage(kind, message.body);
        } while (kind != last);
    }

    /** What to do with a message; throws {@link ToolException} for one it does not expect. */
    interface Handler {
        void onMessage(Kind kind, byte[] body);
    }

    /** Throws if the peer is gone; cheap enough for a loop that has spun for a while. */
    void checkAlive() {
        String reason = gone;
        if (!reason.isEmpty()) {
            throw new ToolException(reason);
        }
    }

    /** Tells the peer why this side gives up, if the peer is still there. */
    void sendFailure(String reason) {
        if (gone.isEmpty()) {
            send(Kind.FAILED, reason);
        }
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new ToolException("cannot close the control connection: " + e.getMessage(), e);
        }
    }

    private Message next(Duration patience) {
        try {
            Message message = inbox.poll(patience.toMillis(), TimeUnit.MILLISECONDS);
            if (message == null) {
                throw new ToolException(
                        peer + " has been silent for " + patience.toSeconds() + " s");
            }
            if (message.kind == Kind.END) {
                throw new ToolException(gone);
            }
            if (message.kind == Kind.FAILED) {
                throw new ToolException(failure(message));
            }
            return message;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ToolException("interrupted", e);
        }
    }

    private void readAll(DataInputStream in) {
        String reason;
        try {
            while (true) {
                Message message = read(in);
                if (message.kind == Kind.FAILED) {
                    gone = failure(message);
                }
                inbox.add(message);
            }
        } catch (EOFException e) {
            reason = peer + " closed the connection";
        } catch (IOException e) {
            reason = peer + " is gone: " + e.getMessage();
        }
        if (gone.isEmpty()) {
            gone = reason;
        }
        inbox.add(new Message(Kind.END));
    }

    private static Message read(DataInputStream in) throws IOException {
        Kind kind = kind(in.readUTF());
        int length = in.readInt();
        if (length < 0 || length > MAX_BODY) {
            throw new IOException("length: " + length + " (expected: 0.." + MAX_BODY + ")");
        }
        byte[] body = new byte[length];
        in.readFully(body);
        return new Message(kind, body);
    }

    private static Kind kind(String name) throws IOException {
        try {
            return Kind.valueOf(name);
        } catch (IllegalArgumentException e) {
            throw new IOException("message: " + name + " (expected: a known kind)", e);
        }
    }

    private String failure(Message message) {
        return peer + ": " + new String(message.body, StandardCharsets.UTF_8);
    }

    private ToolException unexpected(Message message, String expected) {
        return new ToolException(
                "message of " + peer + ": " + message.kind + " (expected: " + expected + ")");
    }
}
