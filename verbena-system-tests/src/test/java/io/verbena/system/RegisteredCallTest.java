// SPDX-License-Identifier: Apache-2.0

package io.verbena.system;

import static org.assertj.core.api.Assertions.assertThatCode;

import io.verbena.examples.RegisteredCall;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The program of docs/registries.md. */
final class RegisteredCallTest {
    @ParameterizedTest
    @EnumSource(RealRegistry.class)
    void shouldFindTheServerItAnnounced(RealRegistry kind, @TempDir Path folder) throws Exception {
        try (RegistryProcess registry = kind.open(folder)) {
            registry.start();
            // with the usual session, which a busy machine does not lose
            String[] arguments = {registry.url("greeting").replaceFirst("\\?.*", "")};

            assertThatCode(() -> RegisteredCall.main(arguments)).doesNotThrowAnyException();
        }
    }
}
