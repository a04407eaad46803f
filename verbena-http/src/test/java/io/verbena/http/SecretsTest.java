// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.testing.ChildJvm;
import io.verbena.testing.TestCertificates;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Nothing that a server should keep to itself is on its pages, in its answers or in its logs. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class SecretsTest {
    @TempDir private Path folder;

    @Test
    void shouldShowNoSecretsOnPagesAndInLogs() throws Exception {
        TestCertificates certificates = TestCertificates.in(folder);
        List<String> lines = new ArrayList<>();
        try (ChildJvm child =
                ChildJvm.start(
                        List.of("-Dslf4j.provider=" + PrintingLogs.class.getName()),
                        SecretsProgram.class,
                        folder)) {
            String line = child.line();
            while (!line.equals(SecretsProgram.END)) {
                lines.add(line);
                line = child.line();
            }
            child.finish();
        }
        String all = String.join("\n", lines);

        assertThat(all)
                .as("the logs and the pages are there")
                .contains("TRACE ", "DEBUG ", "WARN ", "failed to authenticate", "test.EchoService")
                .contains("max_newcomers", "HTTP/1.1 401 ", "HTTP/1.1 408 ", "E1004");
        assertThat(lines).noneMatch(line -> line.contains(SecretsProgram.MARK));
        assertThat(lines).noneMatch(line -> line.contains(token()) || line.contains("PRIVATE KEY"));
        for (String key : List.of("server.key", "alice.key")) {
            for (String secret : Files.readAllLines(certificates.file(key))) {
                assertThat(all).doesNotContain(secret);
            }
        }
    }

    private String token() {
        try {
            return Files.readString(folder.resolve("token")).strip();
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
