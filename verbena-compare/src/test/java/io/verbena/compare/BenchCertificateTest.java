// SPDX-License-Identifier: Apache-2.0

package io.verbena.compare;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class BenchCertificateTest {
    @Test
    void shouldMakeACertificateThatBothSidesCanUseAndDeleteIt() throws Exception {
        Path folder;
        try (BenchCertificate made = BenchCertificate.make()) {
            folder = Path.of(made.option().replaceFirst(".*=", ""));

            assertThat(made.nettyServer().isServer()).isTrue();
            assertThat(made.nettyClient().isClient()).isTrue();
            assertThat(Files.getPosixFilePermissions(folder)).hasSize(3);
        }
        assertThat(folder).doesNotExist();
    }
}
