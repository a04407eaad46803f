// SPDX-License-Identifier: Apache-2.0
package io.verbena.grpc;

import io.verbena.rpc.spi.ServerConnection;
import io.verbena.rpc.spi.ServerView;

/**
 * The services that gRPC defines for every server. As the pages of HTTP, they need no credentials
 * and count as no calls. Any thread.
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
                case "Check" -> new BuiltinReceiver(stream, new HealthCall(health, stream, false));
                case "Watch" -> new BuiltinReceiver(stream, new HealthCall(health, stream, true));
                default -> null;
            };
        }
        // shows what the pages show, and is closed where they are
        boolean isReflection =
                (service.equals(REFLECTION) || service.equals(OLD_REFLECTION))
                        && method.equals("ServerReflectionInfo");
        return isReflection && connection.hasPages()
                ? new BuiltinReceiver(stream, new ReflectionCall(reflection, stream))
                : null;
    }

    /** The server stops. */
    void onStop() {
        health.onStop();
    }
}
