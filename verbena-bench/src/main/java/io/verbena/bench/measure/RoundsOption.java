// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.measure;

import picocli.CommandLine.Option;

/** How many rounds are measured, for commands to mix in. */
public final class RoundsOption {
    @Option(
            names = "--rounds",
            paramLabel = "N",
            defaultValue = "5",
            description =
                    "Rounds, each with all variants; the report gives medians (${DEFAULT-VALUE}).")
    private int rounds;

    /** {@return the plan} */
    public Plan plan() {
        return new Plan(rounds);
    }
}
