// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.transport.SocketMode;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Misspelt flags. */
class KnownFlagsTest {
    private static Properties of(String name) {
        Properties properties = new Properties();
        properties.setProperty(name, "128");
        return properties;
    }

    @ParameterizedTest
    @CsvSource({
        "rdma_rqsize, rdma_rq_size",
        "rdma_memory_pool_initial_size, rdma_memory_pool_initial_size_mb",
        "max_bodysize, max_body_size",
        "rdma_gid, rdma_ece",
    })
    void shouldRefuseAMisspeltFlag(String wrong, String right) {
        assertThatThrownBy(() -> RpcNode.open(SocketMode.TCP, of(wrong)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("flag: " + wrong + ": no such flag (did you mean " + right + "?)");
    }

    @Test
    void shouldIgnoreWhatIsNoFlag() {
        assertThatCode(() -> KnownFlags.check(System.getProperties())).doesNotThrowAnyException();
        assertThatCode(() -> KnownFlags.check(of("user.name"))).doesNotThrowAnyException();
    }
}
