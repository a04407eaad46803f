// SPDX-License-Identifier: Apache-2.0

package io.verbena.compare;

import com.google.protobuf.ByteString;
import com.google.protobuf.BytesValue;
import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Message;
import com.google.protobuf.RpcCallback;
import com.google.protobuf.RpcController;
import io.verbena.compare.proto.EchoService;
import io.verbena.memory.IOBuf;
import io.verbena.rpc.Channel;
import io.verbena.rpc.ChannelOptions;
import io.verbena.rpc.Controller;
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

/** Verbena; service and callbacks run on the receiving thread. */
public final class VerbenaSystem implements EchoSystem {
    private static final int TIMEOUT_MS = 20_000;
    private static final MethodDescriptor ECHO =
            EchoService.getDescriptor().findMethodByName("Echo");

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
    private static final class Echo extends EchoService {
        @Override
        public void echo(
                RpcController controller, BytesValue request, RpcCallback<BytesValue> done) {
            if (controller instanceof Controller call && call.hasRequestAttachment()) {
                call.responseAttachment().append(call.requestAttachment());
            }
            done.run(BytesValue.of(request.getValue()));
        }
    }

    private static final class VerbenaCaller implements EchoClient.Caller, RpcCallback<Message> {
        private final Channel channel;
        private final EchoClient.Outcome outcome;
        private final Controller controller;
        private final BytesValue request;

        VerbenaCaller(Channel channel, int bytes, EchoClient.Outcome outcome) {
            this.channel = channel;
            this.outcome = outcome;
            this.controller = channel.controller();
            this.request = BytesValue.of(ByteString.copyFrom(new byte[bytes]));
        }

        @Override
        public void call() {
            controller.reset();
            channel.callMethod(ECHO, controller, request, BytesValue.getDefaultInstance(), this);
        }

        @Override
        public void run(Message response) {
            if (controller.failed()) {
                outcome.onFailure(controller.errorText());
            } else {
                outcome.onAnswer(((BytesValue) response).getValue().size());
            }
        }

        @Override
        public void close() {
            controller.close();
        }
    }

    /** Sends the bytes as an attachment, in blocks that are shared and never copied. */
    private static final class AttachmentCaller implements EchoClient.Caller, RpcCallback<Message> {
        private final Channel channel;
        private final EchoClient.Outcome outcome;
        private final Controller controller;
        private final IOBuf content;

        AttachmentCaller(RpcNode node, Channel channel, int bytes, EchoClient.Outcome outcome) {
            this.channel = channel;
            this.outcome = outcome;
            this.controller = channel.controller();
            this.content = node.pool().buffer();
            content.append(new byte[bytes]);
        }

        @Override
        public void call() {
            controller.reset();
            controller.requestAttachment().append(content);
            channel.callMethod(
                    ECHO,
                    controller,
                    BytesValue.getDefaultInstance(),
                    BytesValue.getDefaultInstance(),
                    this);
        }

        @Override
        public void run(Message response) {
            if (controller.failed()) {
                outcome.onFailure(controller.errorText());
            } else {
                outcome.onAnswer((int) controller.responseAttachment().size());
            }
        }

        @Override
        public void close() {
            controller.close();
            content.close();
        }
    }
}
