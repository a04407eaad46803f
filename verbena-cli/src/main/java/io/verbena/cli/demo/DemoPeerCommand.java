// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.demo;

import io.verbena.tools.DeviceOption;
import io.verbena.tools.ParentWatch;
import io.verbena.verbs.DeviceContext;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The second process of {@code verbena demo}; only that starts it. */
@Command(name = "demo-peer", hidden = true, description = "The second process of the demo.")
public final class DemoPeerCommand implements Callable<Integer> {
    @Mixin private DeviceOption device;

    /** A command that picocli fills in and runs. */
    public DemoPeerCommand() {}

    @Override
    public Integer call() throws InterruptedException {
        ParentWatch.start();
        try (DeviceContext context = device.open()) {
            new DemoPeer(context, System.out).run();
        }
        return 0;
    }
}
