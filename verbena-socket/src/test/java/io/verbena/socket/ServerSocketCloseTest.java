// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.channels.AsynchronousCloseException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A server that is closed while connections are made. */
class ServerSocketCloseTest {
    /** Each connection is made on a thread of its own, which may be done after the close. */
    @Test
    void shouldWakeWhoWaitsAlthoughAConnectionWasMadeTooLate() throws Exception {
        try (SocketStack stack = SocketStack.open(Stacks.SERVER_DEVICE, Stacks.NATIVE);
                RdmaServerSocket other = RdmaServerSocket.bind(stack, Stacks.anyPort())) {
            RdmaServerSocket server = RdmaServerSocket.bind(stack, Stacks.anyPort());
            RdmaSocket client = RdmaSocket.connect(stack, other.localAddress(), 7);
            RdmaSocket late = other.accept(Stacks.LONG);
            server.close();

            server.add(late);

            assertThat(late.isClosed()).isTrue();
            client.abort();
            // a thread that looked just before the close, and waits only now
            assertThatThrownBy(() -> server.next(Duration.ofSeconds(20)))
                    .isInstanceOf(AsynchronousCloseException.class);
        }
    }
}
