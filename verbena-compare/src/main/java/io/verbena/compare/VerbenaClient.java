// SPDX-License-Identifier: Apache-2.0

package io.verbena.compare;

import com.google.protobuf.ByteString;
import com.google.protobuf.BytesValue;
import com.google.protobuf.Int32Value;
import io.verbena.compare.proto.EchoServiceClient;
import io.verbena.memory.IOBuf;
import io.verbena.rpc.Channel;
import io.verbena.rpc.ChannelOptions;
import io.verbena.rpc.ClientCall;
import io.verbena.rpc.RpcNode;
import io.verbena.rpc.StreamReader;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** A channel of Verbena's, and the ways to call through it. */
final class VerbenaClient implements EchoClient {
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
        EchoServiceClient echo = new EchoServiceClient(channel);
        BytesValue request = message(bytes);
        return () -> echo.echo(request).getValue().size();
    }

    @Override
    public MessageStream stream(int bytes) {
        StreamReader<BytesValue> messages =
                new EchoServiceClient(channel).repeat(Int32Value.of(bytes));
        return new MessageStream() {
            @Override
            public int next() {
                return messages.next().getValue().size();
            }

            @Override
            public void close() {
                messages.close();
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

    private static final class MessageCaller implements Caller, Consumer<BytesValue> {
        private final EchoServiceClient echo;
        private final Outcome outcome;
        private final ClientCall call;
        private final BytesValue request;

        MessageCaller(Channel channel, int bytes, Outcome outcome) {
            this.echo = new EchoServiceClient(channel);
            this.outcome = outcome;
            this.call = channel.newCall();
            this.request = message(bytes);
        }

        @Override
        public void call() {
            call.reset();
            echo.echoAsync(request, call, this);
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
    private static final class AttachmentCaller implements Caller, Consumer<BytesValue> {
        private final EchoServiceClient echo;
        private final Outcome outcome;
        private final ClientCall call;
        private final IOBuf content;

        AttachmentCaller(RpcNode node, Channel channel, int bytes, Outcome outcome) {
            this.echo = new EchoServiceClient(channel);
            this.outcome = outcome;
            this.call = channel.newCall();
            this.content = node.pool().buffer();
            content.append(new byte[bytes]);
        }

        @Override
        public void call() {
            call.reset();
            call.requestAttachment().append(content);
            echo.echoAsync(BytesValue.getDefaultInstance(), call, this);
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
