// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.ibv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.verbena.verbs.Errno;
import io.verbena.verbs.VerbsException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CmChannelTest {
    @Test
    void shouldSayWhatToDoWithoutTheKernelsConnectionManager(@TempDir Path folder) {
        Path missing = folder.resolve("rdma_cm");

        assertThat(CmChannel.advice(missing, Errno.ENODEV))
                .contains(missing + " is missing")
                .contains("modprobe rdma_ucm")
                .contains("--device=" + missing);
    }

    @Test
    void shouldSayWhatToDoWithoutPermission(@TempDir Path folder) throws IOException {
        Path present = Files.createFile(folder.resolve("rdma_cm"));

        assertThat(CmChannel.advice(present, Errno.EACCES))
                .contains("no permission for " + present);
        assertThat(CmChannel.advice(present, Errno.ENODEV)).contains("rdma link");
        assertThat(CmChannel.advice(present, Errno.ENOMEM)).contains("cannot be opened");
    }

    @Test
    void shouldFailWithAdviceWhereThereIsNoDevice() {
        Assumptions.assumeTrue(
                Files.notExists(Path.of("/dev/infiniband/rdma_cm")), "this host has RDMA");

        VerbsException failure = catchThrowableOfType(VerbsException.class, CmChannel::create);

        assertThat(failure.verb()).isEqualTo("rdma_create_event_channel");
        // With librdmacm or without it.
        assertThat(failure).message().containsPattern("modprobe rdma_ucm|apt install librdmacm1");
    }
}
