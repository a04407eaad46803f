// SPDX-License-Identifier: Apache-2.0
package io.verbena.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import io.verbena.grpc.test.EchoRequest;
import io.verbena.grpc.test.EchoResponse;
import io.verbena.rpc.RpcError;
import io.verbena.rpc.Server;
import io.verbena.rpc.ServerOptions;
import io.verbena.testing.Eventually;
import io.verbena.transport.SocketMode;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** grpc-java's client calls methods with streams of our server. */
class GrpcStreamingTest {
    private final GrpcFixture fixture = new GrpcFixture(SocketMode.TCP);
    private final EchoResponder service = new EchoResponder();
    private final Server server = fixture.server(service, ServerOptions.DEFAULT);
    private final GrpcPeer peer = fixture.peer(server);

    @AfterEach
    void close() {
        service.gate.countDown();
        fixture.close();
    }

    /** What arrives at a client. */
    private static final class Responses implements StreamObserver<EchoResponse> {
        final BlockingQueue<EchoResponse> queue = new LinkedBlockingQueue<>();
        final CompletableFuture<Status> status = new CompletableFuture<>();

        @Override
        public void onNext(EchoResponse value) {
            queue.add(value);
        }

        @Override
        public void onError(Throwable failure) {
            status.complete(Status.fromThrowable(failure));
        }

        @Override
        public void onCompleted() {
            status.complete(Status.OK);
        }

        String next() throws InterruptedException {
            return queue.poll(20, TimeUnit.SECONDS).getMessage();
        }

        Status.Code code() throws Exception {
            return status.get(20, TimeUnit.SECONDS).getCode();
        }
    }

    private static EchoRequest text(String text) {
        return EchoRequest.newBuilder().setMessage(text).build();
    }

    @Test
    void shouldCollectRequests() throws Exception {
        Responses responses = new Responses();
        StreamObserver<EchoRequest> requests =
                ClientCalls.asyncClientStreamingCall(
                        peer.channel().newCall(GrpcPeer.COLLECT, CallOptions.DEFAULT), responses);

        for (int i = 0; i < 1000; i++) {
            requests.onNext(text(i + ","));
        }
        requests.onCompleted();

        assertThat(responses.next()).startsWith("0,1,2,").endsWith("998,999,");
        assertThat(responses.code()).isEqualTo(Status.Code.OK);
    }

    @Test
    void shouldCollectLargeRequests() throws Exception {
        ByteString megabyte = ByteString.copyFrom(new byte[1 << 20]);
        Responses responses = new Responses();
        StreamObserver<EchoRequest> requests =
                ClientCalls.asyncClientStreamingCall(
                        peer.channel().newCall(GrpcPeer.COLLECT, CallOptions.DEFAULT), responses);

        for (int i = 0; i < 16; i++) {
            requests.onNext(EchoRequest.newBuilder().setData(megabyte).build());
        }
        requests.onCompleted();

        assertThat(responses.queue.poll(20, TimeUnit.SECONDS).getFieldsOrThrow("bytes"))
                .isEqualTo(Long.toString(16L << 20));
    }

    @Test
    void shouldRepeatResponses() {
        Iterator<EchoResponse> responses =
                ClientCalls.blockingServerStreamingCall(
                        peer.channel(),
                        GrpcPeer.REPEAT,
                        CallOptions.DEFAULT,
                        EchoRequest.newBuilder().setMessage("r").setCount(5000).build());

        for (int i = 0; i < 5000; i++) {
            assertThat(responses.next().getMessage()).isEqualTo("r" + i);
        }
        assertThat(responses.hasNext()).isFalse();
    }

    @Test
    void shouldEndResponsesWithAFailure() {
        Iterator<EchoResponse> responses =
                ClientCalls.blockingServerStreamingCall(
                        peer.channel(),
                        GrpcPeer.REPEAT,
                        CallOptions.DEFAULT,
                        EchoRequest.newBuilder()
                                .setMessage("r")
                                .setCount(2)
                                .setFailWith(RpcError.ENOENT.code())
                                .build());

        assertThat(responses.next().getMessage()).isEqualTo("r0");
        assertThat(responses.next().getMessage()).isEqualTo("r1");
        assertThatThrownBy(responses::hasNext)
                .isInstanceOfSatisfying(
                        StatusRuntimeException.class,
                        e -> assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.NOT_FOUND));
    }

    @Test
    void shouldChat() throws Exception {
        Responses responses = new Responses();
        StreamObserver<EchoRequest> requests =
                ClientCalls.asyncBidiStreamingCall(
                        peer.channel().newCall(GrpcPeer.CHAT, CallOptions.DEFAULT), responses);

        for (String word : List.of("one", "two", "three")) {
            requests.onNext(text(word));
            assertThat(responses.next()).isEqualTo(word);
        }
        requests.onCompleted();

        assertThat(responses.code()).isEqualTo(Status.Code.OK);
    }

    @Test
    void shouldEndAChatWithAFailureWhileTheClientStillWrites() throws Exception {
        Responses responses = new Responses();
        StreamObserver<EchoRequest> requests =
                ClientCalls.asyncBidiStreamingCall(
                        peer.channel().newCall(GrpcPeer.CHAT, CallOptions.DEFAULT), responses);

        requests.onNext(EchoRequest.newBuilder().setFailWith(RpcError.EREQUEST.code()).build());

        assertThat(responses.code()).isEqualTo(Status.Code.INVALID_ARGUMENT);
    }

    @Test
    void shouldStopTheWriterOfAClientThatDoesNotRead() throws Exception {
        ByteString chunk = ByteString.copyFrom(new byte[10_000]);
        ClientCall<EchoRequest, EchoResponse> lazy =
                peer.channel().newCall(GrpcPeer.REPEAT, CallOptions.DEFAULT);
        lazy.start(new ClientCall.Listener<>() {}, new Metadata());
        lazy.sendMessage(EchoRequest.newBuilder().setData(chunk).setCount(100_000).build());
        lazy.halfClose();
        Eventually.become(() -> service.written.get() > 0, service.written::get);

        // others are not stopped
        assertThat(peer.echo("meanwhile").getMessage()).isEqualTo("meanwhile");
        int written = service.written.get();
        assertThat(peer.echo("meanwhile").getMessage()).isEqualTo("meanwhile");
        assertThat(written).isLessThan(10_000);

        lazy.cancel("enough", null);
        assertThat(service.canceled.await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(service.written.get()).isLessThan(10_000);
    }

    @Test
    void shouldStopTheClientOfAServiceThatDoesNotRead() throws Exception {
        ByteString chunk = ByteString.copyFrom(new byte[100_000]);
        ClientCall<EchoRequest, EchoResponse> eager =
                peer.channel().newCall(GrpcPeer.CHAT, CallOptions.DEFAULT);
        CompletableFuture<Status> closed = new CompletableFuture<>();
        eager.start(
                new ClientCall.Listener<>() {
                    @Override
                    public void onClose(Status status, Metadata trailers) {
                        closed.complete(status);
                    }
                },
                new Metadata());
        eager.request(1000);
        eager.sendMessage(EchoRequest.newBuilder().setSleepMs(EchoResponder.WAITING).build());
        assertThat(service.entered.await(20, TimeUnit.SECONDS)).isTrue();

        int sent = 0;
        while (eager.isReady() && sent < 1000) {
            eager.sendMessage(EchoRequest.newBuilder().setData(chunk).build());
            sent++;
        }
        assertThat(sent).isLessThan(1000);
        assertThat(peer.echo("meanwhile").getMessage()).isEqualTo("meanwhile");

        service.gate.countDown();
        eager.halfClose();
        assertThat(closed.get(20, TimeUnit.SECONDS).getCode()).isEqualTo(Status.Code.OK);
    }

    @Test
    void shouldRunManyStreamsAtTheSameTime() throws Exception {
        int streams = 200;
        List<Responses> all =
                IntStream.range(0, streams)
                        .mapToObj(
                                i -> {
                                    Responses responses = new Responses();
                                    StreamObserver<EchoRequest> requests =
                                            ClientCalls.asyncBidiStreamingCall(
                                                    peer.channel()
                                                            .newCall(
                                                                    GrpcPeer.CHAT,
                                                                    CallOptions.DEFAULT),
                                                    responses);
                                    requests.onNext(text("a" + i));
                                    requests.onNext(text("b" + i));
                                    requests.onCompleted();
                                    return responses;
                                })
                        .toList();

        for (int i = 0; i < streams; i++) {
            assertThat(all.get(i).next()).isEqualTo("a" + i);
            assertThat(all.get(i).next()).isEqualTo("b" + i);
            assertThat(all.get(i).code()).isEqualTo(Status.Code.OK);
        }
    }
}
