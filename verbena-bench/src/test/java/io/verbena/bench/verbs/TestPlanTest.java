// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.tools.ToolException;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

final class TestPlanTest {
    private static TestPlan plan(TestKind test, String... args) {
        TestPlanOptions options = new TestPlanOptions();
        new CommandLine(CommandLine.Model.CommandSpec.forAnnotatedObject(options)).parseArgs(args);
        return options.toPlan(test);
    }

    @ParameterizedTest
    @CsvSource({"64,64", "8k,8192", "8K,8192", "1m,1048576", "1024m,1073741824"})
    void shouldReadSizes(String text, int bytes) {
        assertThat(plan(TestKind.SEND_BW, "-s", text).sizes()).containsExactly(bytes);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "-1", "k", "1g", "1.5k", "2048m", "99999999999"})
    void shouldNameAWrongSize(String text) {
        assertThatThrownBy(() -> plan(TestKind.SEND_BW, "-s", text))
                .isInstanceOf(ParameterException.class)
                .hasMessageContaining("size: " + text + " (expected:");
    }

    @Test
    void shouldTakeAllPowersOfTwoUpToEightMebibytes() {
        TestPlan plan = plan(TestKind.WRITE_LAT, "-a");

        assertThat(plan.sizes()).hasSize(23).startsWith(2, 4, 8).endsWith(8 << 20);
    }

    @Test
    void shouldHaveTheDefaultsOfPerftestWhereItHasSome() {
        TestPlan latency = plan(TestKind.SEND_LAT);
        TestPlan bandwidth = plan(TestKind.SEND_BW);

        assertThat(latency.sizes()).containsExactly(8);
        assertThat(bandwidth.sizes()).containsExactly(65536);
        assertThat(bandwidth.txDepth()).isEqualTo(128);
        assertThat(bandwidth.rxDepth()).isEqualTo(512);
        assertThat(bandwidth.inlineBytes()).isEqualTo(-1);
        assertThat(bandwidth.memory()).isEqualTo(BufferMemory.DEVICE);
        assertThat(bandwidth.events()).isFalse();
    }

    @Test
    void shouldReadEveryOption() {
        String line =
                "-s 16 -n 1000 --warmup 10 --runs 3 -t 64 -r 32 -I 16 -e --memory user"
                        + " -A CMP_AND_SWAP --idle-pairs 7";

        TestPlan plan = plan(TestKind.SEND_LAT, line.split(" ", -1));

        assertThat(plan.iterationsOf(16)).isEqualTo(1000);
        assertThat(plan.warmup()).isEqualTo(10);
        assertThat(plan.runs()).isEqualTo(3);
        assertThat(plan.txDepth()).isEqualTo(64);
        assertThat(plan.rxDepth()).isEqualTo(32);
        assertThat(plan.inlineBytes()).isEqualTo(16);
        assertThat(plan.events()).isTrue();
        assertThat(plan.memory()).isEqualTo(BufferMemory.USER);
        assertThat(plan.atomic()).isEqualTo(AtomicKind.CMP_AND_SWAP);
        assertThat(plan.idlePairs()).isEqualTo(7);
    }

    @ParameterizedTest
    @EnumSource(TestKind.class)
    void shouldTellTheServerEverything(TestKind test) {
        TestPlan plan = plan(test, "-n", "17", "--idle-pairs", "3", "--memory", "user", "-I", "0");

        assertThat(TestPlan.decode(plan.encode())).isEqualTo(plan);
    }

    @Test
    void shouldRefuseAPlanOfAnotherVersionOrCutShort() {
        byte[] bytes = plan(TestKind.SEND_LAT).encode();
        byte[] other = bytes.clone();
        other[3]++;

        assertThatThrownBy(() -> TestPlan.decode(other))
                .isInstanceOf(ToolException.class)
                .hasMessageContaining("version of the client");
        assertThatThrownBy(() -> TestPlan.decode(Arrays.copyOf(bytes, bytes.length - 1)))
                .isInstanceOf(ToolException.class)
                .hasMessageContaining("cut short");
    }

    @ParameterizedTest
    @CsvSource({
        "-n,-1,iterations: -1",
        "--runs,0,runs: 0",
        "-t,0,tx-depth: 0",
        "-r,1,rx-depth: 1",
        "--idle-pairs,-5,idle-pairs: -5"
    })
    void shouldNameAnOptionOutOfRange(String option, String value, String message) {
        assertThatThrownBy(() -> plan(TestKind.SEND_LAT, option, value))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message)
                .hasMessageContaining("expected");
    }

    @Test
    void shouldRefuseWhatATestCannotDo() {
        assertThatThrownBy(() -> plan(TestKind.ATOMIC_LAT, "-s", "16"))
                .hasMessageContaining("expected: 8");
        assertThatThrownBy(() -> plan(TestKind.ATOMIC_LAT, "-a"))
                .hasMessageContaining("atomic_lat");
        assertThatThrownBy(() -> plan(TestKind.WRITE_LAT, "-e"))
                .hasMessageContaining("not supported by write_lat");
        assertThatThrownBy(() -> plan(TestKind.SEND_LAT, "-a", "-s", "8"))
                .hasMessageContaining("none with -a");
    }

    @Test
    void shouldBoundTheMemoryThatMessagesRotateOver() {
        assertThat(plan(TestKind.SEND_BW, "-a").areaBytes())
                .isLessThanOrEqualTo(TestPlan.WORKING_SET);
        assertThat(plan(TestKind.SEND_BW, "-s", "1m").slotsOf(1 << 20)).isEqualTo(16);
        assertThat(plan(TestKind.SEND_BW, "-s", "64").slotsOf(64)).isEqualTo(128);
        assertThat(plan(TestKind.SEND_LAT, "-s", "1m").slotsOf(1 << 20)).isEqualTo(1);
        assertThat(plan(TestKind.SEND_BW, "-s", "64m").slotsOf(64 << 20)).isEqualTo(1);
        assertThat(plan(TestKind.SEND_BW, "--working-set", "64k").slotsOf(64 << 10)).isEqualTo(1);
    }
}
