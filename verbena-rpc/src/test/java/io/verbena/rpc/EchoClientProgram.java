// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.memory.BlockPoolException;
import io.verbena.transport.SocketMode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/**
 * A client in a process of its own. The first line it reads is the address of an {@link
 * EchoServerProgram}; then it does what each line says, and ends with its input.
 */
final class EchoClientProgram {
    /** How its answers begin; every other line it prints is its log. */
    static final String ANSWER = "answer: ";

    private static final byte[] SMALL = new byte[100_000];

    /** More than a region of 32 MiB has room for. */
    private static final byte[] LARGE = new byte[30 << 20];

    private final RpcNode node;
    private final String address;
    private final Map<String, Channel> channels = new HashMap<>();
    private Thread load;
    private volatile boolean isLoading = true;
    private String result = "all answered over RDMA";

    private EchoClientProgram(RpcNode node, String address) {
        this.node = node;
        this.address = address;
    }

    /** Runs it; the arguments are those of the server. */
    static void main(String[] arguments) throws Exception {
        System.setErr(System.out);
        BufferedReader lines =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        String address = lines.readLine();
        SocketMode mode = SocketMode.valueOf(arguments[0]);
        try (RpcNode node = RpcNode.open(mode, EchoServerProgram.flags("soft1", arguments))) {
            new EchoClientProgram(node, address).run(lines);
        } catch (RuntimeException e) {
            System.out.println(ANSWER + e);
        }
    }

    private void run(BufferedReader lines) throws IOException, InterruptedException {
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String[] words = line.split(" ", 2);
            switch (words[0]) {
                case "call" -> System.out.println(ANSWER + call(channel(words[1]), SMALL));
                case "large" -> System.out.println(ANSWER + call(channel(words[1]), LARGE));
                case "load" -> {
                    Channel channel = channel(words[1]);
                    load = Thread.ofPlatform().start(() -> load(channel));
                }
                case "stop" -> {
                    isLoading = false;
                    load.join();
                    System.out.println(ANSWER + result);
                }
                default -> throw new IllegalArgumentException(line);
            }
        }
        channels.values().forEach(Channel::close);
    }

    /** {@return the channel with a connection of its own} */
    private Channel channel(String group) {
        return channels.computeIfAbsent(
                group,
                _ ->
                        Channel.open(
                                node,
                                address,
                                RpcFixture.PATIENT
                                        .withSocketMode(SocketMode.RDMA)
                                        .withMaxRetry(0)
                                        .withConnectionGroup(group)));
    }

    /** {@return what an answered call used, or how the call failed} */
    private static String call(Channel channel, byte[] attached) {
        try (ClientController controller = channel.controller()) {
            controller.requestAttachment().append(attached);
            return EchoCalls.echo(channel, controller, "x").equals("x")
                    ? controller.isRdma() ? "RDMA" : "TCP"
                    : controller.errorText();
        } catch (BlockPoolException e) {
            return e.getMessage();
        }
    }

    private void load(Channel channel) {
        while (isLoading) {
            String end = call(channel, SMALL);
            if (!end.equals("RDMA")) {
                result = end;
                return;
            }
        }
    }
}
