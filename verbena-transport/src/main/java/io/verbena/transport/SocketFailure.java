// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

import io.netty.channel.ConnectTimeoutException;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.NotSslRecordException;
import io.verbena.completion.Faults;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.nio.channels.ClosedChannelException;
import java.util.Locale;
import java.util.Objects;
import javax.net.ssl.SSLException;

/** Maps socket failures to brpc's error numbers. */
final class SocketFailure {
    /** What is left to say when there is no memory for another exception. */
    @SuppressWarnings("StaticAssignmentOfThrowable") // it cannot be made on demand
    private static final TransportException NO_MEMORY =
            new TransportException(TransportError.ENOMEM, "there is no memory to say what failed");

    private SocketFailure() {}

    /**
     * Makes sure that failures can be made later: a class that the JVM cannot initialize for want
     * of memory can never be used again.
     */
    static void prepare() {
        TransportException _ = peerClosed();
    }

    /**
     * {@return the failure with its number}
     *
     * @param doing what was tried, for the message
     * @param cause what Java or Netty says
     */
    static TransportException of(String doing, Throwable cause) {
        try {
            return described(doing, cause);
        } catch (Throwable e) { // no memory, or a class that could not be loaded without
            return NO_MEMORY;
        }
    }

    /**
     * {@return a failure of this side, which is not the socket's}
     *
     * @param what what failed
     * @param cause how
     */
    static TransportException internal(String what, Throwable cause) {
        try {
            String text = Faults.describe(what, cause);
            return new TransportException(TransportError.EINTERNAL, text, cause);
        } catch (Throwable e) { // as above
            return NO_MEMORY;
        }
    }

    /** {@return that the peer has closed the connection} Never throws. */
    static TransportException peerClosed() {
        return of(TransportError.EEOF, "the peer closed the connection");
    }

    /**
     * {@return a failure with an explanation} Never throws: who ends something must have a reason.
     *
     * @param error which
     * @param detail why
     */
    static TransportException of(TransportError error, String detail) {
        try {
            return new TransportException(error, detail);
        } catch (Throwable e) { // as above
            return NO_MEMORY;
        }
    }

    private static TransportException described(String doing, Throwable cause) {
        if (cause instanceof TransportException already) {
            return already;
        }
        if (cause instanceof OutOfMemoryError) {
            return new TransportException(
                    TransportError.ENOMEM, doing + ": " + outOfMemory(cause), cause);
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
