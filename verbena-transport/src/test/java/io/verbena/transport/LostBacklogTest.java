// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.ReferenceCountUtil;
import io.verbena.memory.IOBuf;
import io.verbena.transport.handshake.Handshakes;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What was written before the handshake was over cannot be sent: the peer has gone meanwhile. */
class LostBacklogTest {
    private final SocketFixture sockets = new SocketFixture();
    private final List<String> told = new ArrayList<>();

    @AfterEach
    void close() {
        sockets.close();
    }

    private final class Listed implements ConnectionHandler {
        @Override
        public void onOpen(Connection opened) {
            told.add("open");
        }

        @Override
        public void onData(Connection from, IOBuf received) {
            told.add("data");
        }

        @Override
        public void onClose(Connection ended, TransportException reason) {
            told.add("closed");
        }
    }

    /** A socket whose other end has reset it. */
    private static final class Reset extends ChannelOutboundHandlerAdapter {
        @Override
        public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
            ReferenceCountUtil.release(message);
            promise.setFailure(new IOException("Connection reset by peer"));
        }
    }

    @Test
    void shouldNotOpenAfterItsEnd() {
        EmbeddedChannel channel = new EmbeddedChannel(new Reset());
        SocketConnection connection =
                new SocketConnection(
                        sockets.transport,
                        SocketFixture.FLAGS,
                        channel.eventLoop(),
                        new Listed(),
                        Handshakes::plainTcp,
                        _ -> {},
                        Optional.empty());
        connection.attach(channel);
        connection.write(sockets.text("a request"));

        connection.onConnected(true);

        assertThat(told).containsExactly("closed");
    }
}
