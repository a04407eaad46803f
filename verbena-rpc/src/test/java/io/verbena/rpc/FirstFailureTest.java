// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.testing.ChildJvm;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The first failure of a process comes without memory: later ones can be told all the same. */
class FirstFailureTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "io.verbena.rpc.RpcError",
                "io.verbena.transport.SocketFailure",
                "io.verbena.transport.rdma.DeviceFailure"
            })
    void shouldKeepWhatReportsFailuresUsable(String name) throws Exception {
        try (ChildJvm child = ChildJvm.start(List.of("-Xmx32m"), FirstFailureProgram.class, name)) {
            String line = child.line();
            while (!line.equals(FirstFailureProgram.USABLE)) {
                assertThat(line).doesNotContain("NoClassDefFoundError");
                line = child.line();
            }

            child.finish();
        }
    }
}
