// SPDX-License-Identifier: Apache-2.0

package io.verbena.compare;

import com.google.protobuf.ByteString;
import com.google.protobuf.BytesValue;
import com.google.protobuf.Int32Value;
import io.verbena.compare.proto.EchoService;
import io.verbena.rpc.Call;
import io.verbena.rpc.ChannelOptions;
import io.verbena.rpc.NonBlocking;
import io.verbena.rpc.RpcNode;
import io.verbena.rpc.Server;
import io.verbena.rpc.ServerOptions;
import io.verbena.rpc.StreamWriter;
import io.verbena.tools.LocalNode;
import io.verbena.transport.SocketMode;
import io.verbena.transport.TransportFlag;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Properties;

/**
 * Verbena. With callbacks, they and the service run on the receiving thread. All settings but the
 * time limits are the defaults.
 */
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
                .add(
                        contestant.service() == ServiceKind.ORDINARY
                                ? new Echo()
                                : new NonBlockingEcho())
                .start(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        serverOptions(contestant))
                .address()
                .getPort();
    }

    private static ServerOptions serverOptions(Contestant contestant) {
        ServerOptions options = ServerOptions.DEFAULT.withSocketMode(mode(contestant));
        if (BenchCertificate.isUsedBy(contestant)) {
            return options.withSslOptions(BenchCertificate.open().server());
        }
        return isIntercepted(contestant) ? Interceptors.addTo(options) : options;
    }

    private static boolean isIntercepted(Contestant contestant) {
        return contestant.mode().equals(Contestant.INTERCEPTED);
    }

    @Override
    public EchoClient connect(Contestant contestant, int port) {
        RpcNode node = open(contestant);
        ChannelOptions plain =
                ChannelOptions.DEFAULT
                        .withSocketMode(mode(contestant))
                        .withTimeoutMs(TIMEOUT_MS)
                        .withConnectTimeoutMs(TIMEOUT_MS)
                        .withMaxRetry(0)
                        .withCallbackInline(!contestant.caller().isBlocking());
        ChannelOptions options = isIntercepted(contestant) ? Interceptors.addTo(plain) : plain;
        return new VerbenaClient(
                node,
                "127.0.0.1:" + port,
                BenchCertificate.isUsedBy(contestant)
                        ? options.withSslOptions(BenchCertificate.open().client())
                        : options,
                contestant.mode().equals(Contestant.ATTACHMENT));
    }

    /** As its users write it: nothing says that it does not block. */
    private static class Echo implements EchoService {
        @Override
        public BytesValue echo(Call call, BytesValue request) {
            if (call.hasRequestAttachment()) {
                call.responseAttachment().append(call.requestAttachment());
            }
            return BytesValue.of(request.getValue());
        }

        @Override
        public void repeat(Call call, Int32Value bytes, StreamWriter<BytesValue> responses) {
            BytesValue message = BytesValue.of(ByteString.copyFrom(new byte[bytes.getValue()]));
            while (true) {
                // throws when the client has enough
                responses.write(message);
            }
        }
    }

    @NonBlocking
    private static final class NonBlockingEcho extends Echo {}
}
