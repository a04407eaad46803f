// SPDX-License-Identifier: Apache-2.0
/**
 * Protobuf services over RDMA or TCP: servers, channels, and calls.
 *
 * {@snippet :
 * try (RpcNode node = RpcNode.open();
 *         Server server = new Server(node).add(new Echo()).start(8002, ServerOptions.DEFAULT);
 *         Channel channel = Channel.open(node, "127.0.0.1:8002", ChannelOptions.DEFAULT)) {
 *     EchoResponse answer = new EchoServiceClient(channel).echo(request);
 * }
 * }
 *
 * <h2>Threads</h2>
 *
 * <p>Services and callbacks run on virtual threads and may block. A service that is marked {@link
 * io.verbena.rpc.NonBlocking} runs on the thread that received the request.
 *
 * <h2>Errors</h2>
 *
 * <p>A call ends with one of brpc's error codes in its {@link io.verbena.rpc.ClientCall}; only
 * blocking calls and futures also throw an exception.
 *
 * <h2>Packages</h2>
 *
 * <p>Dependencies go down only: this package uses {@code server} (the methods a server offers),
 * which uses {@code spi} (extension points) and {@code wire} (the bytes of {@code baidu_std});
 * those two use neither each other nor the packages above.
 */
package io.verbena.rpc;
