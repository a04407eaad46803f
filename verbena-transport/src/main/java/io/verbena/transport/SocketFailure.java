// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

import io.netty.channel.ConnectTimeoutException;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.NotSslRecordException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.nio.channels.ClosedChannelException;
import java.util.Locale;
import java.util.Objects;
import javax.net.ssl.SSLException;

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
        if (cause instanceof DecoderException && cause.getCause() != null) {
            return of(doing, cause.getCause());
        }
        return new TransportException(error(cause), doing + ": " + reason(cause), cause);
    }

    /** Some of Netty's exceptions have no message. */
    private static String reason(Throwable cause) {
        // this one quotes what the peer sent
        if (cause instanceof NotSslRecordException) {
            return "the peer does not speak TLS here";
        }
        return cause instanceof ClosedChannelException
                ? "the connection was closed"
                : Objects.requireNonNullElseGet(
                        cause.getMessage(), () -> cause.getClass().getSimpleName());
    }

    private static TransportError error(Throwable cause) {
        return switch (cause) {
            case SSLException _ -> TransportError.ESSL;
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
