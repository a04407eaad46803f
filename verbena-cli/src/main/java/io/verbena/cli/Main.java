// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli;

import io.verbena.bench.BenchCommand;
import io.verbena.bench.perf.PerfCommand;
import io.verbena.bench.press.PressCommand;
import io.verbena.cli.call.CallCommand;
import io.verbena.cli.demo.ClusterCommand;
import io.verbena.cli.demo.ClusterServerCommand;
import io.verbena.cli.demo.DemoCommand;
import io.verbena.cli.demo.DemoPeerCommand;
import io.verbena.cli.demo.DemoServerCommand;
import io.verbena.cli.pingpong.PingPongCommand;
import io.verbena.cli.rpc.EchoCommand;
import io.verbena.cli.rpc.StreamCallCommand;
import io.verbena.cli.rping.RpingCommand;
import io.verbena.cli.socket.QueueCommand;
import io.verbena.cli.socket.SocketCommand;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/**
 * The entry point of {@code ./verbena}.
 *
 * <p>Exit codes: 0 on success, 1 when a command failed, 2 when the arguments were wrong.
 */
@Command(
        name = "verbena",
        description = "RDMA for Java: tools and demonstrations.",
        mixinStandardHelpOptions = true,
        scope = ScopeType.INHERIT,
        versionProvider = ProgramVersion.class,
        subcommands = {
            DemoCommand.class,
            DemoPeerCommand.class,
            DemoServerCommand.class,
            ClusterCommand.class,
            ClusterServerCommand.class,
            DevicesCommand.class,
            SendReceiveCommand.class,
            WriteReadCommand.class,
            PingPongCommand.class,
            RpingCommand.class,
            EchoCommand.class,
            StreamCallCommand.class,
            CallCommand.class,
            PerfCommand.class,
            PressCommand.class,
            SocketCommand.class,
            QueueCommand.class,
            BenchCommand.class,
            VersionCommand.class,
            CommandLine.HelpCommand.class,
        })
public final class Main implements Runnable {
    private static final int EXIT_INTERRUPTED = 130;

    /** Not an attribute of the annotation, which every command inherits. */
    private static final String[] LAUNCHER_COMMANDS = {
        "",
        "Handled by the launcher:",
        "  compare  Compare calls with those of other RPC systems.",
        "  lab      Run programs in a virtual machine with the kernel's soft-RoCE.",
        "  test     Build everything and run all checks."
    };

    @Spec private CommandSpec spec;

    @Option(
            names = {"-v", "--debug"},
            scope = ScopeType.INHERIT,
            description = "Print the stack trace of a failure.")
    private boolean debug;

    private final OrderlyEnd end = new OrderlyEnd();

    private Main() {}

    /**
     * Runs one command and ends the JVM with its exit code.
     *
     * @param args the command and its arguments
     */
    public static void main(String[] args) {
        // Messages are UTF-8 in every locale, and must look the same on every terminal.
        System.setOut(utf8(FileDescriptor.out));
        System.setErr(utf8(FileDescriptor.err));
        Main main = new Main();
        CommandLine commandLine =
                main.createCommandLine()
                        .setOut(new PrintWriter(System.out, true, StandardCharsets.UTF_8))
                        .setErr(new PrintWriter(System.err, true, StandardCharsets.UTF_8));
        String[] restored = Arguments.restore(args);
        System.exit(main.end.run(() -> commandLine.execute(restored)));
    }

    /**
     * {@return the exit code of one command, run on this thread; the JVM continues} An interrupt
     * ends the command.
     *
     * @param out receives its output
     * @param err receives its error messages
     * @param args the command and its arguments
     */
    public static int run(PrintWriter out, PrintWriter err, String... args) {
        return commandLine().setOut(out).setErr(err).execute(args);
    }

    static CommandLine commandLine() {
        return new Main().createCommandLine();
    }

    private CommandLine createCommandLine() {
        CommandLine commandLine = new CommandLine(this);
        commandLine.getCommandSpec().usageMessage().footer(LAUNCHER_COMMANDS);
        RpingCommand.addOptions(commandLine.getSubcommands().get("rping"));
        PerfCommand.takeFlags(commandLine.getSubcommands().get("perf"));
        return commandLine
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setExecutionExceptionHandler(this::printFailure);
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Missing command");
    }

    private int printFailure(
            Exception failure, CommandLine command, CommandLine.ParseResult parsed) {
        if (failure instanceof InterruptedException || end.isEnding()) {
            return EXIT_INTERRUPTED;
        }
        PrintWriter err = command.getErr();
        String message = failure.getMessage();
        err.println("verbena: " + (message == null ? failure.toString() : message));
        if (debug) {
            failure.printStackTrace(err);
        }
        return command.getCommandSpec().exitCodeOnExecutionException();
    }

    private static PrintStream utf8(FileDescriptor descriptor) {
        return new PrintStream(new FileOutputStream(descriptor), true, StandardCharsets.UTF_8);
    }
}
