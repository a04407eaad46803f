// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli;

import io.verbena.verbs.Device;
import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.Devices;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.spi.VerbsProvider;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code verbena devices}: what {@code ibv_devinfo -v} prints, for every provider. */
@Command(
        name = "devices",
        description = "Print every device with its limits, ports and GIDs, as ibv_devinfo -v does.")
final class DevicesCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Option(
            names = {"-d", "--device"},
            paramLabel = "DEVICE",
            description = "Only this device.")
    private String name = "";

    @Option(
            names = {"-l", "--list"},
            description = "Only the names.")
    private boolean list;

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        if (!name.isEmpty()) {
            print(Devices.open(name), out);
            return 0;
        }
        List<Device> devices = Devices.list();
        if (list) {
            out.println(devices.size() + (devices.size() == 1 ? " HCA found:" : " HCAs found:"));
            devices.forEach(device -> out.println("\t" + device.name()));
            out.println();
        } else {
            devices.forEach(device -> tryPrint(device, out));
        }
        printProvidersWithoutDevices(out);
        return 0;
    }

    /** If a device cannot be opened, the reason is printed, and the others are printed anyway. */
    private static void tryPrint(Device device, PrintWriter out) {
        try {
            print(device.open(), out);
        } catch (VerbsException e) {
            out.println("hca_id:\t" + device.name());
            out.println("\t" + e.getMessage());
            out.println();
        }
    }

    private static void print(DeviceContext context, PrintWriter out) {
        try (context) {
            new DeviceDescription(out).print(context);
        }
    }

    private static void printProvidersWithoutDevices(PrintWriter out) {
        List<VerbsProvider> providers = Devices.providers();
        for (VerbsProvider provider : providers) {
            if (provider.devices().isEmpty()) {
                out.println("provider " + provider.name() + ": no devices: " + provider.status());
            }
        }
        if (providers.isEmpty()) {
            out.println("no providers: put verbena-verbs-soft on the class or module path");
        }
    }
}
