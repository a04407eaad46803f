// SPDX-License-Identifier: Apache-2.0

package io.verbena.compare.brpc;

import com.baidu.brpc.client.BrpcProxy;
import com.baidu.brpc.client.RpcCallback;
import com.baidu.brpc.client.RpcClient;
import com.baidu.brpc.client.RpcClientOptions;
import com.baidu.brpc.client.channel.ChannelType;
import com.baidu.brpc.client.channel.Endpoint;
import com.baidu.brpc.protocol.Options;
import com.baidu.brpc.server.RpcServer;
import com.baidu.brpc.server.RpcServerOptions;
import com.google.protobuf.ByteString;
import com.google.protobuf.BytesValue;
import io.verbena.compare.Contestant;
import io.verbena.compare.EchoClient;
import io.verbena.compare.EchoSystem;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.Future;

/** brpc-java with {@code baidu_std} on one connection. It keeps its default threads. */
public final class BrpcJavaSystem implements EchoSystem {
    private static final String HOST = "127.0.0.1";
    private static final int TIMEOUT_MS = 20_000;

    /** For {@link java.util.ServiceLoader}. */
    public BrpcJavaSystem() {}

    @Override
    public String name() {
        return "brpc-java";
    }

    @Override
    public int serve(Contestant contestant) throws IOException {
        int port = freePort();
        RpcServerOptions options = new RpcServerOptions();
        options.setProtocolType(Options.ProtocolType.PROTOCOL_BAIDU_STD_VALUE);
        RpcServer server = new RpcServer(HOST, port, options);
        server.registerService(new EchoAnswer());
        server.start();
        return port;
    }

    /** It does not report which port it got, so it cannot be given port 0. */
    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    @Override
    public EchoClient connect(Contestant contestant, int port) {
        RpcClientOptions options = new RpcClientOptions();
        options.setProtocolType(Options.ProtocolType.PROTOCOL_BAIDU_STD_VALUE);
        options.setChannelType(ChannelType.SINGLE_CONNECTION);
        options.setConnectTimeoutMillis(TIMEOUT_MS);
        options.setReadTimeoutMillis(TIMEOUT_MS);
        options.setWriteTimeoutMillis(TIMEOUT_MS);
        RpcClient client = new RpcClient(new Endpoint(HOST, port), options);
        EchoAsync echo = BrpcProxy.getProxy(client, EchoAsync.class);
        return new EchoClient() {
            @Override
            public Caller caller(int bytes, Outcome outcome) {
                return new BrpcCaller(echo, bytes, outcome);
            }

            @Override
            public void close() {
                client.stop();
            }
        };
    }

    private static final class BrpcCaller implements EchoClient.Caller, RpcCallback<BytesValue> {
        private final EchoAsync echo;
        private final EchoClient.Outcome outcome;
        private final BytesValue request;

        BrpcCaller(EchoAsync echo, int bytes, EchoClient.Outcome outcome) {
            this.echo = echo;
            this.outcome = outcome;
            this.request = BytesValue.of(ByteString.copyFrom(new byte[bytes]));
        }

        @Override
        public void call() {
            Future<BytesValue> _ = echo.echo(request, this);
        }

        @Override
        public void success(BytesValue response) {
            outcome.onAnswer(response.getValue().size());
        }

        @Override
        public void fail(Throwable failure) {
            outcome.onFailure(failure.toString());
        }
    }
}
