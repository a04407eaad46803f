// SPDX-License-Identifier: Apache-2.0

package io.verbena.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

final class ContestOptionsTest {
    @Command
    private static final class Program {
        @Mixin private final ContestOptions options = new ContestOptions();
    }

    private static Contest.Setup setup(String... arguments) {
        Program program = new Program();
        List<String> all = new ArrayList<>(List.of("--brpc-libraries", "nowhere"));
        all.addAll(List.of(arguments));
        new CommandLine(program)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .parseArgs(all.toArray(String[]::new));
        return program.options.setup();
    }

    @Test
    void shouldMeasureEverythingByDefault() {
        Contest.Setup setup = setup();

        assertThat(setup.contestants()).containsExactly(Contestant.values());
        assertThat(setup.cells()).isEqualTo(Cell.usual());
        assertThat(setup.rounds()).isEqualTo(3);
        assertThat(setup.measureMs()).isEqualTo(2000);
        assertThat(setup.connections()).isEqualTo(1000);
        assertThat(setup.streamBytes()).containsExactly(64, 1 << 20);
    }

    @Test
    void shouldSelectByNameCallerAndService() {
        assertThat(setup("--only", "verbena-soft", "--callers", "platform,virtual").contestants())
                .containsExactly(
                        Contestant.VERBENA_SOFT_PLATFORM_ORDINARY,
                        Contestant.VERBENA_SOFT_PLATFORM_NONBLOCKING,
                        Contestant.VERBENA_SOFT_VIRTUAL_ORDINARY,
                        Contestant.VERBENA_SOFT_VIRTUAL_NONBLOCKING);
        assertThat(
                        setup(
                                        "--only",
                                        "verbena",
                                        "--callers",
                                        "platform",
                                        "--services",
                                        "ordinary")
                                .contestants())
                .containsExactly(
                        Contestant.VERBENA_SOFT_PLATFORM_ORDINARY,
                        Contestant.VERBENA_TCP_PLATFORM_ORDINARY);
    }

    @Test
    void shouldTakeAFirstLookUnlessToldOtherwise() {
        Contest.Setup quick = setup("--quick");
        Contest.Setup longer = setup("--quick", "--rounds", "2", "--bytes", "4096");

        assertThat(quick.rounds()).isEqualTo(1);
        assertThat(quick.measureMs()).isEqualTo(1000);
        assertThat(quick.cells()).containsExactly(new Cell(32, 1), new Cell(32, 64));
        assertThat(quick.connections()).isZero();
        assertThat(quick.streamBytes()).isEmpty();
        assertThat(setup("--quick", "--stream-bytes", "64,4096").streamBytes())
                .containsExactly(64, 4096);
        assertThat(setup("--stream-bytes", "0").streamBytes()).isEmpty();
        assertThat(setup("--quick", "--connections", "10000").connections()).isEqualTo(10_000);
        assertThat(longer.rounds()).isEqualTo(2);
        assertThat(longer.cells()).containsExactly(new Cell(4096, 1), new Cell(4096, 64));
        assertThat(setup("--bytes", "8388608").cells())
                .containsExactly(new Cell(8 << 20, 1), new Cell(8 << 20, 4));
    }

    @Test
    void shouldLeaveLargeSizesAndManyThreadsToThoseWhoMeasureThem() {
        Contest.Setup setup = setup("--only", "verbena-tcp");

        assertThat(setup.cellsOf(Contestant.VERBENA_TCP)).isEqualTo(Cell.usual());
        assertThat(setup.cellsOf(Contestant.VERBENA_TCP_VIRTUAL_ORDINARY))
                .containsExactly(
                        new Cell(32, 1), new Cell(32, 64), new Cell(4096, 1), new Cell(4096, 64));
        assertThat(setup.cellsOf(Contestant.VERBENA_TCP_PLATFORM_ORDINARY))
                .containsExactly(new Cell(32, 1), new Cell(4096, 1));
    }

    @Test
    void shouldRejectWhatCannotBeMeasured() {
        assertThatThrownBy(() -> setup("--only", "thrift"))
                .hasMessageStartingWith("--only: thrift (expected: ");
        assertThatThrownBy(() -> setup("--only", "brpc", "--callers", "virtual"))
                .hasMessageStartingWith("--only: brpc (expected: ");
        assertThatThrownBy(() -> setup("--bytes", "33"))
                .hasMessage("--bytes: [33] (expected: 32, 4096, 65536, 1048576 or 8388608)");
        assertThatThrownBy(() -> setup("--rounds", "0"))
                .hasMessage("--rounds: 0 (expected: 1..99)");
        assertThatThrownBy(() -> setup("--connections", "-1"))
                .hasMessage("--connections: -1 (expected: 0..100000)");
        assertThatThrownBy(() -> setup("--stream-bytes", "-1"))
                .hasMessage("--stream-bytes: -1 (expected: 0..4194304)");
        assertThatThrownBy(() -> setup("--callers", "green")).hasMessageContaining("green");
    }
}
