// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.testing.ChildJvm;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The first failure of an endpoint, without any memory. */
class FullHeapTest {
    @Test
    void shouldEndWhenItsHandlerFailsWithoutMemory() throws Exception {
        try (ChildJvm child = ChildJvm.start(List.of("-Xmx64m"), FullHeapProgram.class)) {
            String line = child.line();
            while (!line.startsWith(FullHeapProgram.ANSWER)) {
                line = child.line();
            }

            assertThat(line).isEqualTo(FullHeapProgram.ANSWER + FullHeapProgram.ENDED);

            child.finish();
        }
    }
}
