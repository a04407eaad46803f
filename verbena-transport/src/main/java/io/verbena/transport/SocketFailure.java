// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

import io.netty.channel.ConnectTimeoutException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.nio.channels.ClosedChannelException;
import java.util.Locale;

/** Maps socket failures to brpc's error numbers. */
final class SocketFailure {
    private SocketFailure() {}

    /**
     * {@return the failure with its number}
     *
     * @param doing what was tried, for the message
     * @param cause what Java or Netty says
     */
    static TransportException of(String doing, Throwable cause) {
        if (cause instanceof TransportException already) {
            return already;
        }
        if (cause instanceof OutOfMemoryError) {
            return new TransportException(
                    TransportError.ENOMEM, doing + ": " + outOfMemory(cause), cause);
        }
        return new TransportException(error(cause), doing + ": " + cause.getMessage(), cause);
    }

    /** {@return what to say, and what to do, when there is no memory to read into} */
    static String outOfMemory(Throwable cause) {
        return "no memory to receive into: "
                + cause.getMessage()
                + " (raise -XX:MaxDirectMemorySize, or lower max_body_size)";
    }

    /**
     * {@return why there is no connection, in words that say what to check}
     *
     * @param address the server
     * @param timeoutMs how long it was tried
     * @param cause what Java or Netty says, which repeats the address
     */
    static TransportException ofConnect(
            InetSocketAddress address, long timeoutMs, Throwable cause) {
        String peer = address.getHostString() + ":" + address.getPort();
        TransportError error = error(cause);
        return switch (error) {
            case ECONNREFUSED -> new TransportException(error, "nobody listens at " + peer, cause);
            case ETIMEDOUT ->
                    new TransportException(
                            error, peer + " did not answer within " + timeoutMs + " ms", cause);
            case EHOSTUNREACH -> new TransportException(error, "no route to " + peer, cause);
            default -> of("connecting to " + peer, cause);
        };
    }

    private static TransportError error(Throwable cause) {
        return switch (cause) {
            case ConnectTimeoutException _ -> TransportError.ETIMEDOUT;
            case NoRouteToHostException _ -> TransportError.EHOSTUNREACH;
            case ConnectException _ -> TransportError.ECONNREFUSED;
            case ClosedChannelException _ -> TransportError.EPIPE;
            case IOException e -> byMessage(e);
            default -> TransportError.EFAILEDSOCKET;
        };
    }

    /** Java gives the error number only as text. */
    private static TransportError byMessage(Exception e) {
        String message = String.valueOf(e.getMessage()).toLowerCase(Locale.ROOT);
        if (message.contains("reset")) {
            return TransportError.ECONNRESET;
        }
        if (message.contains("broken pipe")) {
            return TransportError.EPIPE;
        }
        return message.contains("timed out")
                ? TransportError.ETIMEDOUT
                : TransportError.EFAILEDSOCKET;
    }
}
