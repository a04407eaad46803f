// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.transport.ClientSslOptions;
import io.verbena.transport.ClientTls;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The certificates that the channels of a process use. Channels with equal options share them, and
 * with them the sessions that new connections resume. Any thread.
 */
final class ClientCertificates {
    private final Map<ClientSslOptions, ClientTls> loaded = new ConcurrentHashMap<>();

    /**
     * {@return the certificates for some options; empty if there are no options}
     *
     * @throws IllegalArgumentException if a file cannot be used
     */
    Optional<ClientTls> of(Optional<ClientSslOptions> options) {
        return options.map(some -> loaded.computeIfAbsent(some, ClientTls::load));
    }

    /** Reads all files again, for new connections. */
    void reload() {
        loaded.values().forEach(ClientTls::reload);
    }

    /** {@return options that ask for a channel's protocol, unless they ask for others} */
    static ClientSslOptions withProtocol(ClientSslOptions options, String protocol) {
        return options.alpns().isEmpty()
                ? options.withAlpns(List.of(AlpnNames.of(protocol)))
                : options;
    }
}
