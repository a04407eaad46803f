// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import io.verbena.http.test.EchoRequest;
import io.verbena.http.test.EchoResponse;
import io.verbena.http.test.EchoService;
import io.verbena.rpc.Call;
import io.verbena.rpc.Channel;
import io.verbena.rpc.ChannelOptions;
import io.verbena.rpc.ClientCall;
import io.verbena.rpc.RpcException;
import io.verbena.rpc.RpcFlags;
import io.verbena.rpc.Server;
import io.verbena.rpc.ServerOptions;
import io.verbena.rpc.testing.ClusterConformance;
import io.verbena.rpc.testing.EchoCluster;
import io.verbena.transport.SocketMode;
import java.util.concurrent.CountDownLatch;

/** HTTP through registries that list servers which are dead, slow, or come back. */
class HttpClusterTest extends ClusterConformance {
    @Override
    protected EchoCluster open(SocketMode mode) {
        return new HttpCluster(mode);
    }

    private static final class HttpCluster implements EchoCluster {
        private final HttpFixture fixture;
        private final CountDownLatch gate = new CountDownLatch(1);
        private volatile boolean isFailing = true;

        HttpCluster(SocketMode mode) {
            fixture = new HttpFixture(mode);
        }

        @Override
        public RpcFlags clientFlags() {
            return fixture.clientFlags();
        }

        @Override
        public Server server(int port) {
            return fixture.server(new EchoResponder(), ServerOptions.DEFAULT, port);
        }

        @Override
        public Server slowServer() {
            return fixture.server(new Slow(), ServerOptions.DEFAULT);
        }

        @Override
        public Server failingServer() {
            return fixture.server(new Failing(), ServerOptions.DEFAULT);
        }

        @Override
        public void repair() {
            isFailing = false;
        }

        @Override
        public void release() {
            gate.countDown();
        }

        /** HTTP/1.1 does not tell. */
        @Override
        public void awaitCanceled() {}

        @Override
        public Channel cluster(String url, ChannelOptions options) {
            return fixture.httpCluster(url, options);
        }

        @Override
        public Channel hastyCluster(String url, int timeoutMs, int connectTimeoutMs) {
            return fixture.hastyCluster(url, timeoutMs, connectTimeoutMs);
        }

        @Override
        public void echo(Channel channel, ClientCall call) {
            channel.call(
                    EchoService.Methods.ECHO,
                    EchoRequest.newBuilder().setMessage("x").build(),
                    call);
        }

        @Override
        public void close() {
            release();
            fixture.close();
        }

        /** Waits before it answers. */
        private final class Slow extends EchoResponder {
            @Override
            public EchoResponse echo(Call call, EchoRequest request) {
                try {
                    gate.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                return super.echo(call, request);
            }
        }

        /** Fails until it is repaired. */
        private final class Failing extends EchoResponder {
            @Override
            public EchoResponse echo(Call call, EchoRequest request) {
                if (isFailing) {
                    throw new RpcException(4711, "not today");
                }
                return super.echo(call, request);
            }
        }
    }
}
