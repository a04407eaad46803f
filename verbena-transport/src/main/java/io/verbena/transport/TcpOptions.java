// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.nio.NioChannelOption;
import java.util.LinkedHashMap;
import java.util.Map;
import jdk.net.ExtendedSocketOptions;

/** The options of TCP sockets that are set by flags. */
final class TcpOptions {
    private TcpOptions() {}

    /** {@return options and their values} */
    static Map<ChannelOption<?>, Object> of(TransportFlags flags) {
        Map<ChannelOption<?>, Object> options = new LinkedHashMap<>();
        options.put(ChannelOption.TCP_NODELAY, true);
        if (flags.isOn(TransportFlag.SOCKET_KEEPALIVE)) {
            options.put(ChannelOption.SO_KEEPALIVE, true);
            options.put(
                    NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPIDLE),
                    flags.integer(TransportFlag.SOCKET_KEEPALIVE_IDLE_S));
            options.put(
                    NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPINTERVAL),
                    flags.integer(TransportFlag.SOCKET_KEEPALIVE_INTERVAL_S));
            options.put(
                    NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPCOUNT),
                    flags.integer(TransportFlag.SOCKET_KEEPALIVE_COUNT));
        }
        return options;
    }

    /** Sets them on a channel. */
    static void apply(TransportFlags flags, Channel channel) {
        of(flags).forEach((option, value) -> set(channel, option, value));
    }

    @SuppressWarnings("unchecked") // the map pairs each option with a value of its type
    private static <T> void set(Channel channel, ChannelOption<T> option, Object value) {
        channel.config().setOption(option, (T) value);
    }
}
