// SPDX-License-Identifier: Apache-2.0

package io.verbena.compare;

import com.google.protobuf.ByteString;
import com.google.protobuf.BytesValue;
import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Message;
import com.google.protobuf.RpcCallback;
import io.verbena.compare.proto.EchoService;
import io.verbena.memory.IOBuf;
import io.verbena.rpc.Channel;
import io.verbena.rpc.ChannelOptions;
import io.verbena.rpc.Controller;
import io.verbena.rpc.RpcNode;
import java.util.concurrent.atomic.AtomicInteger;

/** A channel of Verbena's, and the three ways to call through it. */
final class VerbenaClient implements EchoClient {
    private static final MethodDescriptor ECHO =
            EchoService.getDescriptor().findMethodByName("Echo");

    private static final AtomicInteger GROUPS = new AtomicInteger();

    private final RpcNode node;
    private final Channel channel;
    private final String address;
    private final ChannelOptions options;
    private final boolean isAttached;
    private final boolean isFirst;

    /**
     * The first client of a node.
     *
     * @param node closed with this
     * @param address where the server listens
     * @param options the options of the channel
     * @param isAttached whether the bytes go in an attachment
     */
    VerbenaClient(RpcNode node, String address, ChannelOptions options, boolean isAttached) {
        this(node, address, options, isAttached, true);
    }

    private VerbenaClient(
            RpcNode node,
            String address,
            ChannelOptions options,
            boolean isAttached,
            boolean isFirst) {
        this.node = node;
        this.channel = Channel.open(node, address, options);
        this.address = address;
        this.options = options;
        this.isAttached = isAttached;
        this.isFirst = isFirst;
    }

    /** In a group of its own; otherwise the channels would share one connection. */
    @Override
    public EchoClient sibling() {
        String group = "crowd-" + GROUPS.incrementAndGet();
        return new VerbenaClient(
                node, address, options.withConnectionGroup(group), isAttached, false);
    }

    @Override
    public Caller caller(int bytes, Outcome outcome) {
        return isAttached
                ? new AttachmentCaller(node, channel, bytes, outcome)
                : new MessageCaller(channel, bytes, outcome);
    }

    @Override
    public BlockingCaller blockingCaller(int bytes) {
        EchoService.BlockingInterface echo = EchoService.newBlockingStub(channel);
        BytesValue request = message(bytes);
        return () -> {
            try (Controller call = channel.controller()) {
                return echo.echo(call, request).getValue().size();
            }
        };
    }

    private static BytesValue message(int bytes) {
        return BytesValue.of(ByteString.copyFrom(new byte[bytes]));
    }

    @Override
    public void close() {
        channel.close();
        if (isFirst) {
            node.close();
        }
    }

    private static final class MessageCaller implements Caller, RpcCallback<Message> {
        private final Channel channel;
        private final Outcome outcome;
        private final Controller controller;
        private final BytesValue request;

        MessageCaller(Channel channel, int bytes, Outcome outcome) {
            this.channel = channel;
            this.outcome = outcome;
            this.controller = channel.controller();
            this.request = message(bytes);
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
    private static final class AttachmentCaller implements Caller, RpcCallback<Message> {
        private final Channel channel;
        private final Outcome outcome;
        private final Controller controller;
        private final IOBuf content;

        AttachmentCaller(RpcNode node, Channel channel, int bytes, Outcome outcome) {
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
