// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.pingpong;

import io.verbena.tools.PortConverter;
import io.verbena.tools.ToolException;
import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.Devices;
import io.verbena.verbs.QueuePairAddress;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code verbena rc-pingpong}: {@code ibv_rc_pingpong}. */
@Command(
        name = "rc-pingpong",
        description = {
            "Send a message back and forth, with the options and the output of ibv_rc_pingpong;"
                    + " either side may be that program.",
            "Starts a server and waits for a client, or connects to the server at HOST."
        })
public final class PingPongCommand implements Callable<Integer> {
    private static final double NANOS_PER_SECOND = 1e9;
    private static final double NANOS_PER_MICRO = 1e3;

    @Spec private CommandSpec spec;
    @Mixin private ExchangeOptions options;

    @Parameters(arity = "0..1", paramLabel = "HOST", description = "Where the server is.")
    private String host = "";

    @Option(
            names = {"-p", "--port"},
            paramLabel = "PORT",
            converter = PortConverter.class,
            description = "TCP port of the server; 0 picks a free one. Default: ${DEFAULT-VALUE}.")
    private int tcpPort = 18515;

    @Option(
            names = {"-d", "--ib-dev", "--device"},
            paramLabel = "DEVICE",
            description = "The device. Default: hardware if there is any, else software.")
    private String device = "";

    @Option(
            names = {"-i", "--ib-port"},
            paramLabel = "PORT",
            description = "Port of the device, from 1. Default: ${DEFAULT-VALUE}.")
    private int devicePort = 1;

    @Option(
            names = {"-g", "--gid-idx"},
            paramLabel = "INDEX",
            description = "Which global identifier of the port. Default: the device's choice.")
    private int gidIndex = -1;

    @Override
    public Integer call() throws InterruptedException, IOException {
        PingPongPlan exchange = options.exchange(spec);
        try (DeviceContext context = device.isEmpty() ? Devices.open() : Devices.open(device);
                LocalEnd end =
                        new LocalEnd(
                                context,
                                devicePort,
                                LocalEnd.gid(context, devicePort, gidIndex(context)),
                                exchange,
                                host.isEmpty())) {
            connect(end, exchange);
            Rally rally = new Rally(end, exchange, !host.isEmpty());
            report(exchange, rally.run());
            if (host.isEmpty() && exchange.validate()) {
                check(rally.invalidPages());
            }
        }
        return 0;
    }

    private int gidIndex(DeviceContext context) {
        return gidIndex < 0 ? context.defaultGidIndex(devicePort) : gidIndex;
    }

    private void connect(LocalEnd end, PingPongPlan exchange) throws IOException {
        if (host.isEmpty()) {
            // Listens before it prints anything: a program that reads its lines may connect at
            // once.
            try (ServerSocketChannel server = AddressExchange.listen(tcpPort)) {
                printPort((InetSocketAddress) server.getLocalAddress());
                print("  local address:  ", end.address());
                print(
                        "  remote address: ",
                        AddressExchange.asServer(
                                server, end.address(), end::connect, exchange.limit()));
            }
        } else {
            print("  local address:  ", end.address());
            QueuePairAddress server =
                    AddressExchange.asClient(host, tcpPort, end.address(), exchange.limit());
            print("  remote address: ", server);
            end.connect(server);
        }
    }

    private void printPort(InetSocketAddress listening) {
        if (tcpPort == 0) {
            out().println("listening on port " + listening.getPort());
        }
    }

    private void print(String whose, QueuePairAddress address) {
        out().println(whose + AddressText.describe(address));
    }

    private void report(PingPongPlan exchange, long nanos) {
        long bytes = (long) exchange.size() * exchange.iterations() * 2;
        double micros = nanos / NANOS_PER_MICRO;
        out().printf(
                        Locale.ROOT,
                        "%d bytes in %.2f seconds = %.2f Mbit/sec%n",
                        bytes,
                        nanos / NANOS_PER_SECOND,
                        bytes * 8 / micros);
        out().printf(
                        Locale.ROOT,
                        "%d iters in %.2f seconds = %.2f usec/iter%n",
                        exchange.iterations(),
                        nanos / NANOS_PER_SECOND,
                        micros / exchange.iterations());
    }

    private void check(int... invalidPages) {
        for (int page : invalidPages) {
            out().println("invalid data in page " + page);
        }
        if (invalidPages.length > 0) {
            throw new ToolException(
                    "invalid data in "
                            + invalidPages.length
                            + " pages; did the client run with -c?");
        }
    }

    private PrintWriter out() {
        return spec.commandLine().getOut();
    }
}
