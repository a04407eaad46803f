// SPDX-License-Identifier: Apache-2.0

package io.verbena.compare;

import com.google.protobuf.ByteString;
import com.google.protobuf.BytesValue;
import io.verbena.compare.proto.EchoService;
import io.verbena.compare.proto.EchoServiceClient;
import io.verbena.memory.IOBuf;
import io.verbena.rpc.Call;
import io.verbena.rpc.Channel;
import io.verbena.rpc.ChannelOptions;
import io.verbena.rpc.ClientCall;
import io.verbena.rpc.NonBlocking;
import io.verbena.rpc.RpcNode;
import io.verbena.rpc.Server;
import io.verbena.rpc.ServerOptions;
import io.verbena.tools.LocalNode;
import io.verbena.transport.SocketMode;
import io.verbena.transport.TransportFlag;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Properties;
import java.util.function.Consumer;

/** Verbena; service and callbacks run on the receiving thread. */
public final class VerbenaSystem implements EchoSystem {
    private static final int TIMEOUT_MS = 20_000;

    /** For {@link java.util.ServiceLoader}. */
    public VerbenaSystem() {}

    @Override
    public String name() {
        return "verbena";
    }

    private static SocketMode mode(Contestant contestant) {
        return contestant.transport().equals("soft") ? SocketMode.RDMA : SocketMode.TCP;
    }

    private static RpcNode open(Contestant contestant) {
        Properties flags = new Properties();
        // sized for messages of 1 MiB: eight of them fit in the window; see docs/benchmarks.md
        flags.setProperty(TransportFlag.RDMA_RECV_BLOCK_TYPE.flagName(), "large");
        flags.putAll(System.getProperties());
        flags.setProperty(TransportFlag.RDMA_DEVICE.flagName(), "soft0");
        flags.setProperty(
                TransportFlag.RDMA_HANDSHAKE_TIMEOUT_MS.flagName(), Integer.toString(TIMEOUT_MS));
        if (contestant.mode().equals("polling")) {
            flags.setProperty(TransportFlag.RDMA_USE_POLLING.flagName(), "true");
        }
        return LocalNode.open(mode(contestant), flags);
    }

    @Override
    public int serve(Contestant contestant) {
        return new Server(open(contestant))
                .add(new Echo())
                .start(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        ServerOptions.DEFAULT.withSocketMode(mode(contestant)))
                .address()
                .getPort();
    }

    @Override
    public EchoClient connect(Contestant contestant, int port) {
        RpcNode node = open(contestant);
        ChannelOptions options =
                ChannelOptions.DEFAULT
                        .withSocketMode(mode(contestant))
                        .withTimeoutMs(TIMEOUT_MS)
                        .withConnectTimeoutMs(TIMEOUT_MS)
                        .withMaxRetry(0)
                        .withCallbackInline(true);
        Channel channel = Channel.open(node, "127.0.0.1:" + port, options);
        return new EchoClient() {
            @Override
            public Caller caller(int bytes, Outcome outcome) {
                return contestant == Contestant.VERBENA_SOFT_ATTACHMENT
                        ? new AttachmentCaller(node, channel, bytes, outcome)
                        : new VerbenaCaller(channel, bytes, outcome);
            }

            @Override
            public void close() {
                channel.close();
                node.close();
            }
        };
    }

    @NonBlocking
    private static final class Echo implements EchoService {
        @Override
        public BytesValue echo(Call call, BytesValue request) {
            if (call.hasRequestAttachment()) {
                call.responseAttachment().append(call.requestAttachment());
            }
            return BytesValue.of(request.getValue());
        }
    }

    private static final class VerbenaCaller implements EchoClient.Caller, Consumer<BytesValue> {
        private final EchoServiceClient client;
        private final EchoClient.Outcome outcome;
        private final ClientCall call;
        private final BytesValue request;

        VerbenaCaller(Channel channel, int bytes, EchoClient.Outcome outcome) {
            this.client = new EchoServiceClient(channel);
            this.outcome = outcome;
            this.call = channel.newCall();
            this.request = BytesValue.of(ByteString.copyFrom(new byte[bytes]));
        }

        @Override
        public void call() {
            call.reset();
            client.echoAsync(request, call, this);
        }

        @Override
        public void accept(BytesValue response) {
            if (call.failed()) {
                outcome.onFailure(call.errorText());
            } else {
                outcome.onAnswer(response.getValue().size());
            }
        }

        @Override
        public void close() {
            call.close();
        }
    }

    /** Sends the bytes as an attachment, in blocks that are shared and never copied. */
    private static final class AttachmentCaller implements EchoClient.Caller, Consumer<BytesValue> {
        private final EchoServiceClient client;
        private final EchoClient.Outcome outcome;
        private final ClientCall call;
        private final IOBuf content;

        AttachmentCaller(RpcNode node, Channel channel, int bytes, EchoClient.Outcome outcome) {
            this.client = new EchoServiceClient(channel);
            this.outcome = outcome;
            this.call = channel.newCall();
            this.content = node.pool().buffer();
            content.append(new byte[bytes]);
        }

        @Override
        public void call() {
            call.reset();
            call.requestAttachment().append(content);
            client.echoAsync(BytesValue.getDefaultInstance(), call, this);
        }

        @Override
        public void accept(BytesValue response) {
            if (call.failed()) {
                outcome.onFailure(call.errorText());
            } else {
                outcome.onAnswer((int) call.responseAttachment().size());
            }
        }

        @Override
        public void close() {
            call.close();
            content.close();
        }
    }
}
