// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import io.verbena.rpc.spi.ClientProtocol;
import io.verbena.rpc.spi.ClientProtocolProvider;
import io.verbena.rpc.spi.ClientView;

/** Adds HTTP to the protocols of channels. */
public final class HttpClientProvider implements ClientProtocolProvider {
    /** For {@link java.util.ServiceLoader}. */
    public HttpClientProvider() {}

    @Override
    public String name() {
        return "http";
    }

    @Override
    public ClientProtocol open(ClientView channel) {
        return new HttpClient(channel);
    }
}
