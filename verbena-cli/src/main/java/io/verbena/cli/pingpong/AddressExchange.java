// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.pingpong;

import io.verbena.tools.ToolException;
import io.verbena.verbs.QueuePairAddress;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * How the sides learn each other's address: the client sends its own, the server connects its queue
 * pair and sends its own, the client sends {@code done}.
 */
final class AddressExchange {
    private static final byte[] DONE = "done\0".getBytes(StandardCharsets.US_ASCII);
    private static final String ADDRESS = "the peer's address";

    private AddressExchange() {}

    /**
     * {@return the server's address}
     *
     * @param host where the server is
     * @param port its TCP port
     * @param own this side's address
     * @param limit how long the whole exchange may take
     */
    static QueuePairAddress asClient(String host, int port, QueuePairAddress own, Duration limit) {
        try (TextLink link = TextLink.connect(host, port, limit)) {
            link.send(AddressText.encode(own));
            QueuePairAddress server = AddressText.decode(link.receive(AddressText.LENGTH, ADDRESS));
            link.send(DONE);
            return server;
        } catch (ConnectException e) {
            throw new ToolException("nobody listens at " + host + ":" + port, e);
        } catch (IOException e) {
            throw new ToolException(
                    "Couldn't connect to " + host + ":" + port + ": " + reason(e), e);
        }
    }

    /** {@return a socket that accepts the client's connection} */
    static ServerSocketChannel listen(int port) {
        try {
            ServerSocketChannel server = ServerSocketChannel.open();
            try {
                server.bind(new InetSocketAddress(port), 1);
                return server;
            } catch (IOException e) {
                server.close();
                throw e;
            }
        } catch (IOException e) {
            throw new ToolException("Couldn't listen to port " + port + ": " + reason(e), e);
        }
    }

    /**
     * {@return the client's address} Waits for a client without limit; after that, the limit
     * applies.
     *
     * @param server where the client connects; closed once it has
     * @param own this side's address
     * @param connect connects the queue pair to an address, so that it is ready when the client is
     * @param limit how long the whole exchange may take
     */
    static QueuePairAddress asServer(
            ServerSocketChannel server,
            QueuePairAddress own,
            Consumer<QueuePairAddress> connect,
            Duration limit) {
        try (TextLink link = new TextLink(accept(server), limit)) {
            QueuePairAddress client = AddressText.decode(link.receive(AddressText.LENGTH, ADDRESS));
            connect.accept(client);
            link.send(AddressText.encode(own));
            byte[] done = link.receive(DONE.length, "the peer's 'done'");
            if (!Arrays.equals(done, DONE)) {
                throw new ToolException(
                        "the peer's last word: "
                                + Arrays.toString(done)
                                + " (expected: "
                                + Arrays.toString(DONE)
                                + ", 'done' and a NUL)");
            }
            return client;
        } catch (IOException e) {
            throw new ToolException("Couldn't exchange addresses: " + reason(e), e);
        }
    }

    private static SocketChannel accept(ServerSocketChannel server) throws IOException {
        try (server) {
            return server.accept();
        }
    }

    private static String reason(IOException e) {
        return e.getMessage() == null ? e.toString() : e.getMessage();
    }
}
