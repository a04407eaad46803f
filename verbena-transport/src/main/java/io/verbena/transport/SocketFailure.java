// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

import io.netty.channel.ConnectTimeoutException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.nio.channels.ClosedChannelException;
import java.util.Locale;
import java.util.Objects;

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
        return new TransportException(error(cause), doing + ": " + reason(cause), cause);
    }

    /** Some of Netty's exceptions have no message. */
    private static String reason(Throwable cause) {
        return cause instanceof ClosedChannelException
                ? "the connection was closed"
                : Objects.requireNonNullElseGet(
                        cause.getMessage(), () -> cause.getClass().getSimpleName());
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
