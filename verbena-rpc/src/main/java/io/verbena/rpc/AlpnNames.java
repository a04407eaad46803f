// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import java.util.Comparator;
import java.util.List;

/** What TLS calls the protocols: its application-layer protocol negotiation. */
final class AlpnNames {
    /**
     * Browsers offer both of the first two. Pages and JSON are in HTTP/1.1 only; whoever speaks
     * gRPC offers h2 alone.
     */
    private static final List<String> PREFERRED = List.of("http/1.1", "h2", "baidu_std");

    private AlpnNames() {}

    /** {@return the name of a protocol, given brpc's} */
    static String of(String protocol) {
        return switch (protocol) {
            case "http" -> "http/1.1";
            case "grpc" -> "h2";
            default -> protocol;
        };
    }

    /** {@return the names of all protocols on a port, the preferred one first} */
    static List<String> of(ServerPort port) {
        return port.names().stream().map(AlpnNames::of).sorted(byPreference()).toList();
    }

    private static Comparator<String> byPreference() {
        return Comparator.comparingInt(
                name -> PREFERRED.contains(name) ? PREFERRED.indexOf(name) : PREFERRED.size());
    }
}
