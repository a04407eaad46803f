// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.perf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class GflagsTest {
    private final Gflags gflags = new Gflags(ClientFlag.values());

    private Object value(ClientFlag flag, String... arguments) throws IOException {
        return Gflags.value(gflags.parse(List.of(arguments)), flag);
    }

    @Test
    void shouldTakeEveryFormOfAFlag() throws IOException {
        assertThat(value(ClientFlag.QUEUE_DEPTH)).isEqualTo(1L);
        assertThat(value(ClientFlag.QUEUE_DEPTH, "-queue_depth=2")).isEqualTo(2L);
        assertThat(value(ClientFlag.QUEUE_DEPTH, "--queue_depth=3")).isEqualTo(3L);
        assertThat(value(ClientFlag.QUEUE_DEPTH, "-queue_depth", "4")).isEqualTo(4L);
        assertThat(value(ClientFlag.ATTACHMENT_SIZE, "-attachment_size", "-1")).isEqualTo(-1L);
        assertThat(value(ClientFlag.USE_RDMA, "-nouse_rdma")).isEqualTo(false);
        assertThat(value(ClientFlag.USE_RDMA, "--use_rdma=false")).isEqualTo(false);
        assertThat(value(ClientFlag.ECHO_ATTACHMENT, "-echo_attachment")).isEqualTo(true);
        assertThat(value(ClientFlag.SERVERS, "-servers=a:1+b:2")).isEqualTo("a:1+b:2");
    }

    @Test
    void shouldTakeFlagsOfTheTransportAndThePool() throws IOException {
        Properties values =
                gflags.parse(List.of("-rdma_device=rxe0", "-rdma_memory_pool_initial_size_mb=32"));

        assertThat(values)
                .containsEntry("rdma_device", "rxe0")
                .containsEntry("rdma_memory_pool_initial_size_mb", "32");
    }

    @Test
    void shouldReadAFile(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("flags"), "--queue_depth=7\n");

        assertThat(value(ClientFlag.QUEUE_DEPTH, "-flagfile=" + file)).isEqualTo(7L);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "word",
                "-",
                "-no_such_flag=1",
                "-queue_depth",
                "-queue_depth=0",
                "-thread_num=x"
            })
    void shouldRefuse(String argument) {
        assertThatThrownBy(() -> gflags.parse(List.of(argument)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void shouldTryManyRunsUnlessToldOne() throws IOException {
        PerfSettings all = new PerfSettings(gflags.parse(List.of()));
        PerfSettings one =
                new PerfSettings(gflags.parse(List.of("-thread_num=3", "-attachment_size=0")));

        assertThat(all.threads()).containsExactly(1, 2, 4, 8, 16);
        assertThat(all.attachmentSizes()).containsExactly(1, 4, 16, 64, 256, 1024);
        assertThat(all.servers()).hasSize(2);
        assertThat(one.threads()).containsExactly(3);
        assertThat(one.attachmentSizes()).containsExactly(0);
    }

    @Test
    void shouldRefuseAnUnknownConnectionType() throws IOException {
        PerfSettings settings = new PerfSettings(gflags.parse(List.of("-connection_type=triple")));

        assertThatThrownBy(settings::channel)
                .hasMessage("connection_type: triple (expected: single, pooled or short)");
    }
}
