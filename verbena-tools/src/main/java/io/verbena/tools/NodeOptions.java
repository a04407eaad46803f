// SPDX-License-Identifier: Apache-2.0

package io.verbena.tools;

import io.verbena.rpc.RpcNode;
import io.verbena.transport.SocketMode;
import io.verbena.transport.TransportFlag;
import java.util.Optional;
import java.util.Properties;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** The options that choose RDMA or TCP, and the device; for commands to mix in. */
public final class NodeOptions {
    @Spec(Target.MIXEE)
    private CommandSpec spec;

    @Mixin private DeviceOption device;

    @Option(names = "--use-rdma", description = "The same as --socket-mode rdma.")
    private boolean isRdmaWanted;

    @Option(
            names = "--socket-mode",
            paramLabel = "MODE",
            description = {
                "What connections use: ${COMPLETION-CANDIDATES}. With RDMA, a connection to a peer"
                        + " without it uses TCP. Default: TCP, or RDMA if --device is given.",
                "brpc's flags are set as system properties, for example"
                        + " VERBENA_JAVA_OPTS=-Drdma_use_polling=true."
            })
    private Optional<SocketMode> given = Optional.empty();

    /** {@return what connections use} */
    public SocketMode mode() {
        if (isRdmaWanted && given.isPresent() && given.get() == SocketMode.TCP) {
            throw new ParameterException(
                    spec.commandLine(), "--socket-mode: TCP (expected: RDMA, with --use-rdma)");
        }
        return isRdmaWanted || !device.name().isEmpty()
                ? given.orElse(SocketMode.RDMA)
                : given.orElse(SocketMode.TCP);
    }

    /** {@return the node of this process, opened} */
    public RpcNode open() {
        return LocalNode.open(mode(), properties());
    }

    private Properties properties() {
        Properties properties = new Properties();
        System.getProperties()
                .stringPropertyNames()
                .forEach(name -> properties.setProperty(name, System.getProperty(name)));
        if (!device.name().isEmpty()) {
            properties.setProperty(TransportFlag.RDMA_DEVICE.flagName(), device.name());
        }
        return properties;
    }
}
