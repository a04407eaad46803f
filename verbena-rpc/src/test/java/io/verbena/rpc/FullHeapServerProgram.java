// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.transport.SocketMode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * An echo server in a process of its own, whose heap is full while it is told so. It prints its
 * port, then does what each line says; its argument is its {@link SocketMode}.
 */
final class FullHeapServerProgram {
    /** How its answers begin; every other line it prints is its log. */
    static final String ANSWER = "answer: ";

    static final String FILL = "fill";
    static final String CLOSE = "close";
    static final String DUMP = "dump";
    static final String FILLED = "filled";
    static final String CLOSED = "nothing is left";

    private static final Duration LIMIT = Duration.ofSeconds(5);

    private FullHeapServerProgram() {}

    /** Runs it. */
    static void main(String[] arguments) throws Exception {
        System.setErr(System.out);
        SocketMode mode = SocketMode.valueOf(arguments[0]);
        RpcNode node = RpcNode.open(mode, EchoServerProgram.flags("soft0", arguments));
        Server server = new Server(node).add(new EchoServices.Echo());
        server.start(RpcFixture.anyPort(), ServerOptions.DEFAULT.withSocketMode(mode));
        System.out.println(ANSWER + server.address().getPort());
        BufferedReader lines =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String[] words = line.split(" ", 2);
            switch (words[0]) {
                case FILL -> System.out.println(ANSWER + fill(Long.parseLong(words[1])));
                case CLOSE -> System.out.println(ANSWER + close(server, node));
                case DUMP -> System.out.println(ANSWER + threads("verbena-"));
                default -> throw new IOException(line);
            }
        }
    }

    private static String fill(long ms) throws InterruptedException {
        HeapFiller filler = new HeapFiller().start();
        // without anything that needs memory
        while (!filler.isFull()) {
            Thread.yield();
        }
        long endNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ms);
        while (System.nanoTime() - endNs < 0) {
            Thread.yield();
        }
        filler.stop();
        return FILLED;
    }

    /** {@return what is left after both were closed} */
    private static String close(Server server, RpcNode node) {
        server.close(LIMIT);
        node.close(LIMIT);
        long endNs = System.nanoTime() + LIMIT.toNanos();
        String left = left();
        while (!left.isEmpty() && System.nanoTime() - endNs < 0) {
            Thread.yield();
            left = left();
        }
        return left.isEmpty() ? CLOSED : left;
    }

    /** {@return where the node's threads are; empty if there are none} The device keeps its own. */
    private static String left() {
        return threads("verbena-rpc-")
                + threads("verbena-verbs-")
                + threads("verbena-tcp-")
                + threads("verbena-rdma-");
    }

    private static String threads(String prefix) {
        StringBuilder text = new StringBuilder();
        for (Map.Entry<Thread, StackTraceElement[]> each : Thread.getAllStackTraces().entrySet()) {
            String name = each.getKey().getName();
            if (name.startsWith(prefix)) {
                text.append(name).append(": ");
                for (StackTraceElement frame : each.getValue()) {
                    text.append(frame).append(" < ");
                }
                text.append("; ");
            }
        }
        return text.toString();
    }
}
