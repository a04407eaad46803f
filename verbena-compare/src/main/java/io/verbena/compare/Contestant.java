// SPDX-License-Identifier: Apache-2.0

package io.verbena.compare;

import java.util.Locale;

/** A system in one of its configurations. */
public enum Contestant {
    /** Verbena over the software device; dispatchers spin for a moment, then sleep. */
    VERBENA_SOFT_ADAPTIVE("verbena", "soft", "adaptive"),
    /** Verbena over the software device; dispatchers spin forever. */
    VERBENA_SOFT_POLLING("verbena", "soft", "polling"),
    /** Verbena over the software device, adaptive, with the bytes in an attachment. */
    VERBENA_SOFT_ATTACHMENT("verbena", "soft", "attachment"),
    /** Verbena over TCP. */
    VERBENA_TCP("verbena", "tcp", ""),
    /** gRPC for Java over Netty. */
    GRPC_JAVA("grpc-java", "tcp", ""),
    /** brpc for Java. */
    BRPC_JAVA("brpc-java", "tcp", "");

    private final String system;
    private final String transport;
    private final String mode;

    Contestant(String system, String transport, String mode) {
        this.system = system;
        this.transport = transport;
        this.mode = mode;
    }

    /** {@return its name on the command line} */
    public String key() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** {@return the name of its {@link EchoSystem}} */
    public String system() {
        return system;
    }

    /** {@return its transport} */
    public String transport() {
        return transport;
    }

    /** {@return its mode; empty if there is only one} */
    public String mode() {
        return mode;
    }
}
