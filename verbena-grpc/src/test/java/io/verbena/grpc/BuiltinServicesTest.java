// SPDX-License-Identifier: Apache-2.0
package io.verbena.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.reflection.v1.ServerReflectionGrpc;
import io.grpc.reflection.v1.ServerReflectionRequest;
import io.grpc.reflection.v1.ServerReflectionResponse;
import io.grpc.reflection.v1.ServiceResponse;
import io.grpc.stub.StreamObserver;
import io.verbena.rpc.PageAccess;
import io.verbena.rpc.Server;
import io.verbena.rpc.ServerOptions;
import io.verbena.transport.SocketMode;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The stubs of grpc-services call the services that every server has. */
class BuiltinServicesTest {
    private final GrpcFixture fixture = new GrpcFixture(SocketMode.TCP);
    private final Server server = fixture.server(new EchoResponder(), ServerOptions.DEFAULT);
    private final GrpcPeer peer = fixture.peer(server);

    @AfterEach
    void close() {
        fixture.close();
    }

    private static HealthCheckRequest of(String service) {
        return HealthCheckRequest.newBuilder().setService(service).build();
    }

    @Test
    void shouldTellItsHealth() {
        HealthGrpc.HealthBlockingStub health = HealthGrpc.newBlockingStub(peer.channel());

        assertThat(health.check(of("")).getStatus()).isEqualTo(ServingStatus.SERVING);
        assertThat(health.check(of("test.EchoService")).getStatus())
                .isEqualTo(ServingStatus.SERVING);
        assertThatThrownBy(() -> health.check(of("test.Nothing")))
                .isInstanceOfSatisfying(
                        StatusRuntimeException.class,
                        e -> assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.NOT_FOUND));
    }

    @Test
    void shouldTellWatchersThatItStops() {
        HealthGrpc.HealthBlockingStub health = HealthGrpc.newBlockingStub(peer.channel());
        Iterator<HealthCheckResponse> known = health.watch(of("test.EchoService"));
        Iterator<HealthCheckResponse> unknown = health.watch(of("test.Nothing"));
        assertThat(known.next().getStatus()).isEqualTo(ServingStatus.SERVING);
        assertThat(unknown.next().getStatus()).isEqualTo(ServingStatus.SERVICE_UNKNOWN);

        server.stop();

        assertThat(known.next().getStatus()).isEqualTo(ServingStatus.NOT_SERVING);
    }

    private static final class Answers implements StreamObserver<ServerReflectionResponse> {
        final BlockingQueue<ServerReflectionResponse> queue = new LinkedBlockingQueue<>();

        @Override
        public void onNext(ServerReflectionResponse value) {
            queue.add(value);
        }

        @Override
        public void onError(Throwable failure) {
            queue.add(
                    ServerReflectionResponse.newBuilder().setValidHost(failure.toString()).build());
        }

        @Override
        public void onCompleted() {
            queue.add(ServerReflectionResponse.newBuilder().setValidHost("completed").build());
        }

        ServerReflectionResponse next() throws InterruptedException {
            return queue.poll(20, TimeUnit.SECONDS);
        }
    }

    @Test
    void shouldDescribeItsServices() throws Exception {
        Answers answers = new Answers();
        StreamObserver<ServerReflectionRequest> requests =
                ServerReflectionGrpc.newStub(peer.channel()).serverReflectionInfo(answers);

        requests.onNext(ServerReflectionRequest.newBuilder().setListServices("*").build());
        assertThat(answers.next().getListServicesResponse().getServiceList())
                .extracting(ServiceResponse::getName)
                .containsExactly(
                        "test.EchoService",
                        "grpc.health.v1.Health",
                        "grpc.reflection.v1.ServerReflection");

        requests.onNext(
                ServerReflectionRequest.newBuilder()
                        .setFileContainingSymbol("test.EchoService.Chat")
                        .build());
        FileDescriptorProto file =
                FileDescriptorProto.parseFrom(
                        answers.next().getFileDescriptorResponse().getFileDescriptorProto(0));
        assertThat(file.getName()).isEqualTo("echo.proto");
        assertThat(file.getService(0).getMethodCount()).isEqualTo(5);

        requests.onNext(
                ServerReflectionRequest.newBuilder()
                        .setFileByFilename("grpc/health/v1/health.proto")
                        .build());
        assertThat(answers.next().getFileDescriptorResponse().getFileDescriptorProtoCount())
                .isEqualTo(1);

        requests.onNext(
                ServerReflectionRequest.newBuilder().setFileContainingSymbol("no.Such").build());
        assertThat(answers.next().getErrorResponse().getErrorCode())
                .isEqualTo(Status.Code.NOT_FOUND.value());

        requests.onCompleted();
        assertThat(answers.next().getValidHost()).isEqualTo("completed");
    }

    @Test
    void shouldDescribeItsServicesToOldTools() throws Exception {
        BlockingQueue<io.grpc.reflection.v1alpha.ServerReflectionResponse> answers =
                new LinkedBlockingQueue<>();
        StreamObserver<io.grpc.reflection.v1alpha.ServerReflectionRequest> requests =
                io.grpc.reflection.v1alpha.ServerReflectionGrpc.newStub(peer.channel())
                        .serverReflectionInfo(
                                new StreamObserver<>() {
                                    @Override
                                    public void onNext(
                                            io.grpc.reflection.v1alpha.ServerReflectionResponse
                                                    value) {
                                        answers.add(value);
                                    }

                                    @Override
                                    public void onError(Throwable failure) {}

                                    @Override
                                    public void onCompleted() {}
                                });

        requests.onNext(
                io.grpc.reflection.v1alpha.ServerReflectionRequest.newBuilder()
                        .setListServices("*")
                        .build());

        assertThat(answers.poll(20, TimeUnit.SECONDS).getListServicesResponse().getServiceCount())
                .isEqualTo(3);
        requests.onCompleted();
    }

    @Test
    void shouldDescribeItsServicesOnlyToThoseWhoMaySeePages(@TempDir Path folder) throws Exception {
        Server guarded =
                fixture.server(
                        new EchoResponder(),
                        ServerOptions.DEFAULT.withPageAccess(
                                PageAccess.DEFAULT
                                        .withCredentialRequired(true)
                                        .withTokenFile(folder.resolve("token"))));
        GrpcPeer client = fixture.peer(guarded);
        Answers answers = new Answers();
        StreamObserver<ServerReflectionRequest> requests =
                ServerReflectionGrpc.newStub(client.channel()).serverReflectionInfo(answers);

        requests.onNext(ServerReflectionRequest.newBuilder().setListServices("*").build());

        assertThat(answers.next().getValidHost()).contains(Status.Code.UNAUTHENTICATED.name());
        assertThat(HealthGrpc.newBlockingStub(client.channel()).check(of("")).getStatus())
                .isEqualTo(ServingStatus.SERVING);
    }

    @Test
    void shouldHaveNoneOfThemIfToldSo() {
        Server bare =
                fixture.server(
                        new EchoResponder(), ServerOptions.DEFAULT.withHasBuiltinServices(false));
        GrpcPeer client = fixture.peer(bare);

        assertThatThrownBy(() -> HealthGrpc.newBlockingStub(client.channel()).check(of("")))
                .isInstanceOfSatisfying(
                        StatusRuntimeException.class,
                        e ->
                                assertThat(e.getStatus().getCode())
                                        .isEqualTo(Status.Code.UNIMPLEMENTED));
        assertThat(client.echo("x").getMessage()).isEqualTo("x");
    }
}
