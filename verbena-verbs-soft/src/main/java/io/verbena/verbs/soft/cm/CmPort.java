// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft.cm;

import io.verbena.verbs.Errno;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.soft.cm.CmMessage.Reject;
import io.verbena.verbs.soft.cm.CmMessage.Request;
import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Optional;
import java.util.PrimitiveIterator;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A port of the connection manager: a UNIX socket named after its number. The socket is the claim
 * to the port. It exists from bind on and refuses requests until there is a {@link Handler}. A
 * socket that cannot be connected to was left by a killed process and may be replaced.
 */
final class CmPort {
    /** Takes connection requests. */
    interface Handler {
        /**
         * Takes a request on its own thread, which ends when this returns.
         *
         * @param socket the connection to the peer; the handler closes it
         * @param request what was asked
         */
        void onRequest(CmSocket socket, Request request);
    }

    private static final String VERB = "rdma_bind_addr";

    /** How many connections the kernel may hold before they are accepted, which happens at once. */
    private static final int KERNEL_BACKLOG = 4096;

    private static final long RETRY_ACCEPT_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final ConnectionManager manager;
    private final int number;
    private final ServerSocketChannel server;
    private volatile Handler handler =
            (socket, _) -> refuse(socket, CmRejectReason.INVALID_SERVICE);

    private CmPort(ConnectionManager manager, int number, ServerSocketChannel server) {
        this.manager = manager;
        this.number = number;
        this.server = server;
    }

    /** {@return a port that now belongs to this process; 0 takes any free ephemeral one} */
    static CmPort bind(ConnectionManager manager, int number) {
        try {
            CmPort port = manager.folder().guard(() -> claim(manager, number));
            CmThreads.start("verbena-cm-accept-" + port.number, port::acceptAll);
            return port;
        } catch (IOException e) {
            throw new VerbsException(VERB, Errno.EIO, "port: " + number + ", " + e, e);
        }
    }

    /**
     * Removes the sockets that killed processes left.
     *
     * @return how many there were
     */
    static int sweep(CmFolder folder) throws IOException {
        return folder.guard(
                () -> {
                    int swept = 0;
                    try (DirectoryStream<Path> sockets =
                            Files.newDirectoryStream(folder.path(), CmFolder.SOCKETS)) {
                        for (Path socket : sockets) {
                            if (!isAlive(socket) && Files.deleteIfExists(socket)) {
                                swept++;
                            }
                        }
                    }
                    return swept;
                });
    }

    int number() {
        return number;
    }

    void listen(Handler requests) {
        handler = requests;
    }

    /** Gives up the port; connections made through it stay. */
    void close() throws IOException {
        manager.folder()
                .guard(
                        () -> {
                            // First the name, then the socket: a peer that is cut off while it
                            // connects sees from the missing name that there is no listener.
                            Files.deleteIfExists(manager.folder().socket(number));
                            server.close();
                            return number;
                        });
    }

    static void refuse(CmSocket socket, int reason) {
        socket.finish(new Reject(reason, PrivateData.NONE));
    }

    private static CmPort claim(ConnectionManager manager, int wanted) throws IOException {
        PrimitiveIterator.OfInt candidates = HostAddresses.ephemeralPorts().iterator();
        do {
            int number = wanted == 0 ? candidates.nextInt() : wanted;
            Optional<ServerSocketChannel> server = tryClaim(manager.folder().socket(number));
            if (server.isPresent()) {
                return new CmPort(manager, number, server.get());
            }
        } while (wanted == 0 && candidates.hasNext());
        throw new VerbsException(
                VERB, Errno.EADDRINUSE, "port: " + wanted + " (expected: one without a listener)");
    }

    private static Optional<ServerSocketChannel> tryClaim(Path path) throws IOException {
        if (Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            if (isAlive(path)) {
                return Optional.empty();
            }
            Files.delete(path);
        }
        ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            server.bind(UnixDomainSocketAddress.of(path), KERNEL_BACKLOG);
            return Optional.of(server);
        } catch (BindException _) {
            // Another process has created a file of this name.
            server.close();
            return Optional.empty();
        } catch (IOException e) {
            server.close();
            throw e;
        }
    }

    private static boolean isAlive(Path path) throws IOException {
        try (SocketChannel probe = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            // Not blocking: a stopped process with a full backlog is alive as well.
            probe.configureBlocking(false);
            probe.connect(UnixDomainSocketAddress.of(path));
            return true;
        } catch (ConnectException _) {
            return false;
        } catch (IOException _) {
            return true;
        }
    }

    private void acceptAll() {
        while (server.isOpen()) {
            try {
                greet(server.accept());
            } catch (AsynchronousCloseException _) {
                return;
            } catch (ClosedChannelException _) {
                return;
            } catch (IOException | RuntimeException | Error _) {
                // Most likely no file descriptor or memory is left: some will be given back after a
                // while.
                LockSupport.parkNanos(RETRY_ACCEPT_NANOS);
            }
        }
    }

    private void greet(SocketChannel accepted) throws IOException {
        boolean isServed = false;
        try {
            CmSocket socket = CmSocket.accepted(accepted, manager.threads());
            CmDeadline deadline =
                    manager.threads().after(manager.timeouts().request(), socket::close);
            manager.threads().execute(() -> serve(socket, deadline));
            isServed = true;
        } finally {
            if (!isServed) {
                accepted.close();
            }
        }
    }

    /** Reads the first message, and the rest of it when it arrives. */
    private void serve(CmSocket socket, CmDeadline deadline) {
        try {
            Optional<CmMessage> first = socket.read();
            if (first.isEmpty() && !socket.isEnded()) {
                socket.awaitReadable(() -> serve(socket, deadline));
                return;
            }
            deadline.cancel();
            if (first.isPresent() && first.get() instanceof Request request) {
                handler.onRequest(socket, request);
                return;
            }
            // Only a check whether the port is alive, or garbage.
        } catch (CmProtocolException e) {
            if (e.isOtherVersion()) {
                refuse(socket, CmRejectReason.VERSION);
            }
        } catch (IOException _) {
            // The peer is gone before it sent a request: there is nobody to notify.
        } catch (Throwable e) {
            CmThreads.log(e);
        }
        deadline.cancel();
        socket.close();
    }
}
