// SPDX-License-Identifier: Apache-2.0
package io.verbena.grpc;

import io.verbena.rpc.spi.PageRight;
import io.verbena.rpc.spi.PageVerdict;
import io.verbena.rpc.spi.ServerConnection;
import io.verbena.rpc.spi.ServerView;

/**
 * The services that gRPC defines for every server. They count as no calls, and who may call them is
 * decided as for the pages of HTTP: anyone asks for the health, as for {@code /health}, and for
 * descriptions whoever may see pages, which is anyone unless the server says otherwise. Any thread.
 */
final class Builtins {
    static final String HEALTH = "grpc.health.v1.Health";
    static final String REFLECTION = "grpc.reflection.v1.ServerReflection";
    private static final String OLD_REFLECTION = "grpc.reflection.v1alpha.ServerReflection";

    private final HealthWatch health;
    private final Reflection reflection;

    Builtins(ServerView server) {
        this.health = new HealthWatch(server);
        this.reflection = new Reflection(server);
    }

    /** {@return who gets the messages of a request, or null if it is not for a service here} */
    Receiver find(ServerConnection connection, ServerStream stream, String service, String method) {
        if (!connection.server().hasBuiltinServices()) {
            return null;
        }
        if (service.equals(HEALTH)) {
            return switch (method) {
                case "Check" ->
                        new BuiltinReceiver(stream, new GrpcHealthCall(health, stream, false));
                case "Watch" ->
                        new BuiltinReceiver(stream, new GrpcHealthCall(health, stream, true));
                default -> null;
            };
        }
        // shows what the pages show, and is closed where they are
        boolean isReflection =
                (service.equals(REFLECTION) || service.equals(OLD_REFLECTION))
                        && method.equals("ServerReflectionInfo");
        return isReflection && connection.hasPages() ? describe(connection, stream) : null;
    }

    private Receiver describe(ServerConnection connection, ServerStream stream) {
        PageVerdict verdict = connection.authorize(PageRight.VIEW, stream.credential());
        if (verdict == PageVerdict.ALLOWED) {
            return new BuiltinReceiver(stream, new ReflectionCall(reflection, stream));
        }
        connection.answerRefused(() -> stream.link().execute(() -> refuse(stream)));
        return new BuiltinReceiver(stream, BuiltinReceiver.NOTHING);
    }

    private static void refuse(ServerStream stream) {
        stream.fail(GrpcStatus.UNAUTHENTICATED, "credentials: missing or wrong");
    }

    /** The server stops. */
    void onStop() {
        health.onStop();
    }
}
