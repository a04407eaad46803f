// SPDX-License-Identifier: Apache-2.0
package io.verbena.completion;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.testing.ChildJvm;
import java.util.List;
import org.junit.jupiter.api.Test;

class VirtualThreadsTest {
    @Test
    void shouldStartThemAfterTheHeapWasFull() throws Exception {
        try (ChildJvm child = ChildJvm.start(List.of("-Xmx24m"), FirstVirtualThreadProgram.class)) {
            assertThat(child.line()).isEqualTo(FirstVirtualThreadProgram.STARTED);

            child.finish();
        }
    }
}
