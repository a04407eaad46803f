// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.perf;

import io.verbena.rpc.ChannelOptions;
import io.verbena.rpc.ConnectionType;
import io.verbena.transport.SocketMode;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/**
 * The settings of a client.
 *
 * @param values from {@link Gflags}
 * @param tls adds TLS to the options of a channel, if that is wanted
 */
record PerfSettings(Properties values, UnaryOperator<ChannelOptions> tls) {
    private static final int LARGEST_TRIED = 1024;

    PerfSettings(Properties values) {
        this(values, UnaryOperator.identity());
    }

    private int number(ClientFlag flag) {
        return Math.toIntExact((Long) Gflags.value(values, flag));
    }

    private boolean isOn(ClientFlag flag) {
        return (Boolean) Gflags.value(values, flag);
    }

    private String text(ClientFlag flag) {
        return (String) Gflags.value(values, flag);
    }

    /** {@return how many channels call at the same time, one number per run} */
    List<Integer> threads() {
        int wanted = number(ClientFlag.THREAD_NUM);
        return wanted > 0 ? List.of(wanted) : powers(2, number(ClientFlag.MAX_THREAD_NUM));
    }

    /** {@return how many bytes are attached, one number per run} */
    List<Integer> attachmentSizes() {
        int wanted = number(ClientFlag.ATTACHMENT_SIZE);
        return wanted >= 0 ? List.of(wanted) : powers(4, LARGEST_TRIED);
    }

    private static List<Integer> powers(int base, int most) {
        return IntStream.iterate(1, value -> value <= most, value -> value * base).boxed().toList();
    }

    int depth() {
        return number(ClientFlag.QUEUE_DEPTH);
    }

    int expectedQps() {
        return number(ClientFlag.EXPECTED_QPS);
    }

    boolean isEcho() {
        return isOn(ClientFlag.ECHO_ATTACHMENT);
    }

    SocketMode mode() {
        return isOn(ClientFlag.USE_RDMA) ? SocketMode.RDMA : SocketMode.TCP;
    }

    int seconds() {
        return number(ClientFlag.TEST_SECONDS);
    }

    int iterations() {
        return number(ClientFlag.TEST_ITERATIONS);
    }

    int dummyPort() {
        return number(ClientFlag.DUMMY_PORT);
    }

    List<String> servers() {
        return List.of(text(ClientFlag.SERVERS).split("\\+", -1));
    }

    /**
     * {@return the settings of every channel} Connecting may take as long as a call: the first
     * connection of a JVM takes longer than brpc's limit.
     */
    ChannelOptions channel() {
        return tls.apply(plainChannel());
    }

    private ChannelOptions plainChannel() {
        return ChannelOptions.DEFAULT
                .withSocketMode(mode())
                .withProtocol(text(ClientFlag.PROTOCOL))
                .withConnectionType(connectionType())
                .withTimeoutMs(number(ClientFlag.RPC_TIMEOUT_MS))
                .withConnectTimeoutMs(number(ClientFlag.RPC_TIMEOUT_MS))
                .withMaxRetry(0)
                // a callback that waits for a token must not block the receiving thread
                .withCallbackInline(expectedQps() == 0);
    }

    private ConnectionType connectionType() {
        String name = text(ClientFlag.CONNECTION_TYPE);
        try {
            return ConnectionType.valueOf(name.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "connection_type: " + name + " (expected: single, pooled or short)", e);
        }
    }
}
