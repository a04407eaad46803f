// SPDX-License-Identifier: Apache-2.0

package io.verbena.compare.brpc;

import com.google.protobuf.BytesValue;

/** The service. Public, because brpc-java calls it by reflection. */
public final class EchoAnswer implements Echo {
    /** A service without state. */
    public EchoAnswer() {}

    @Override
    public BytesValue echo(BytesValue request) {
        return BytesValue.of(request.getValue());
    }
}
