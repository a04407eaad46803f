// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.testing.ChildJvm;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What must not fail, or must be made good, when it is first done without any memory. */
class FullHeapTest {
    @ParameterizedTest
    @EnumSource(FullHeapProgram.Step.class)
    void shouldDoWithoutMemoryWhatOthersWaitFor(FullHeapProgram.Step step) throws Exception {
        try (ChildJvm child = ChildJvm.start(List.of("-Xmx24m"), FullHeapProgram.class, step)) {
            String line = child.line();
            while (!line.startsWith(FullHeapProgram.ANSWER)) {
                line = child.line();
            }

            assertThat(line).isEqualTo(FullHeapProgram.ANSWER + FullHeapProgram.DONE);

            child.finish();
        }
    }
}
