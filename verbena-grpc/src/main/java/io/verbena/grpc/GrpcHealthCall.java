// SPDX-License-Identifier: Apache-2.0
package io.verbena.grpc;

import io.verbena.grpc.builtin.HealthCheckRequest;
import io.verbena.grpc.builtin.HealthCheckResponse;
import io.verbena.grpc.builtin.HealthCheckResponse.ServingStatus;
import io.verbena.memory.IOBuf;

/** A call of {@code grpc.health.v1.Health}: {@code Check}, or {@code Watch}, which goes on. */
final class GrpcHealthCall implements BuiltinReceiver.BuiltinCall {
    private final HealthWatch health;
    private final ServerStream stream;
    private final boolean isWatch;
    private String service = "";
    private ServingStatus told = ServingStatus.UNKNOWN;

    GrpcHealthCall(HealthWatch health, ServerStream stream, boolean isWatch) {
        this.health = health;
        this.stream = stream;
        this.isWatch = isWatch;
    }

    @Override
    public void onMessage(IOBuf message, boolean isCompressed) throws MalformedMessageException {
        service =
                stream.decode(message, isCompressed, HealthCheckRequest.getDefaultInstance())
                        .getService();
    }

    @Override
    public void onEnd() {
        if (isWatch) {
            health.add(this);
            tellNow();
            return;
        }
        ServingStatus status = health.status(service);
        if (status == ServingStatus.SERVICE_UNKNOWN) {
            stream.fail(GrpcStatus.NOT_FOUND, "service: unknown (expected: one of this server)");
        } else {
            stream.writeMessage(answer(status));
            stream.succeed();
        }
    }

    /** The health may have changed. Any thread. */
    void tell() {
        stream.link().execute(this::tellNow);
    }

    private void tellNow() {
        ServingStatus status = health.status(service);
        if (status != told) {
            told = status;
            stream.writeMessage(answer(status));
        }
    }

    private static HealthCheckResponse answer(ServingStatus status) {
        return HealthCheckResponse.newBuilder().setStatus(status).build();
    }

    @Override
    public void onClosed() {
        health.remove(this);
    }
}
