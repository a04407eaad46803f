// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.call;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.testing.PlayedRegistry;
import io.verbena.tools.ToolException;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class HttpServerTest {
    @Test
    void shouldNotWaitForTheRestOfAnAnswerThatStalls() {
        try (PlayedRegistry played =
                        new PlayedRegistry(request -> PlayedRegistry.Answer.stalled("{"));
                HttpServer server =
                        new HttpServer(
                                played.address(), Duration.ofMillis(200), Optional.empty())) {
            assertThatThrownBy(server::descriptors)
                    .isInstanceOf(ToolException.class)
                    .hasMessageContaining(played.address() + ": no whole answer within 200 ms");
        }
    }
}
