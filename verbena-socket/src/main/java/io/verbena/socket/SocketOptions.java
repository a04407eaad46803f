// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

import io.verbena.memory.BlockPoolOptions;
import java.time.Duration;
import java.util.Objects;

/**
 * The settings of a {@link SocketStack} and its sockets.
 *
 * @param compatibility what sockets offer their peers
 * @param maxMessageBytes the longest message that is sent or accepted
 * @param maxUnreadBytes how many bytes of messages a connection reads ahead of its user; one
 *     message is read however long it is
 * @param maxUnacknowledgedBytes how many bytes of large messages may wait for the peer to read them
 *     before {@code send} waits; one message may, however long it is
 * @param spin how long a waiting thread polls before it sleeps
 * @param handshakeTimeout how long a connection may take to be made
 * @param closeTimeout how long {@code close} waits for the peer to take what was sent
 * @param pool the registered memory; there are two pools with these settings
 */
public record SocketOptions(
        Compatibility compatibility,
        int maxMessageBytes,
        long maxUnreadBytes,
        long maxUnacknowledgedBytes,
        Duration spin,
        Duration handshakeTimeout,
        Duration closeTimeout,
        BlockPoolOptions pool) {
    /** The longest message there can be: {@value}. */
    public static final int MAX_MESSAGE = 1 << 30;

    /**
     * Native, messages up to 64 MiB, 8 MiB unread and 16 MiB unacknowledged; pools that start with
     * 32 MiB for each size of blocks and grow by 64.
     */
    public static final SocketOptions DEFAULT =
            new SocketOptions(
                    Compatibility.NATIVE,
                    64 << 20,
                    8 << 20,
                    16 << 20,
                    Duration.ofNanos(100_000),
                    Duration.ofSeconds(10),
                    Duration.ofSeconds(5),
                    BlockPoolOptions.DEFAULT.withSizesMb(32, 64));

    /** Checks the limits. */
    public SocketOptions {
        Objects.requireNonNull(compatibility, "compatibility");
        Objects.requireNonNull(pool, "pool");
        check("maxMessageBytes", maxMessageBytes, MAX_MESSAGE);
        check("maxUnreadBytes", maxUnreadBytes, Long.MAX_VALUE);
        check("maxUnacknowledgedBytes", maxUnacknowledgedBytes, Long.MAX_VALUE);
        check("spin", spin);
        check("handshakeTimeout", handshakeTimeout);
        check("closeTimeout", closeTimeout);
    }

    /**
     * {@return the same with another offer}
     *
     * @param offered what sockets offer their peers
     */
    public SocketOptions withCompatibility(Compatibility offered) {
        return new SocketOptions(
                offered,
                maxMessageBytes,
                maxUnreadBytes,
                maxUnacknowledgedBytes,
                spin,
                handshakeTimeout,
                closeTimeout,
                pool);
    }

    /**
     * {@return the same with other limits}
     *
     * @param message the longest message
     * @param unread the most bytes read ahead of the user
     * @param unacknowledged the most bytes of large messages that wait for the peer
     */
    public SocketOptions withLimits(int message, long unread, long unacknowledged) {
        return new SocketOptions(
                compatibility,
                message,
                unread,
                unacknowledged,
                spin,
                handshakeTimeout,
                closeTimeout,
                pool);
    }

    /**
     * {@return the same with other times}
     *
     * @param spinning how long a waiting thread polls before it sleeps
     * @param handshake how long a connection may take to be made
     * @param close how long {@code close} waits for the peer
     */
    public SocketOptions withTimes(Duration spinning, Duration handshake, Duration close) {
        return new SocketOptions(
                compatibility,
                maxMessageBytes,
                maxUnreadBytes,
                maxUnacknowledgedBytes,
                spinning,
                handshake,
                close,
                pool);
    }

    /**
     * {@return the same with other registered memory}
     *
     * @param options the settings of its pools
     */
    public SocketOptions withPool(BlockPoolOptions options) {
        return new SocketOptions(
                compatibility,
                maxMessageBytes,
                maxUnreadBytes,
                maxUnacknowledgedBytes,
                spin,
                handshakeTimeout,
                closeTimeout,
                options);
    }

    private static void check(String name, long value, long max) {
        if (value < 1 || value > max) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: 1.." + max + ")");
        }
    }

    private static void check(String name, Duration value) {
        if (value.isNegative()) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: 0 or longer)");
        }
    }
}
