// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.Message;
import java.util.Objects;

/**
 * A call that shows whether a server works.
 *
 * @param method the method
 * @param request what to send
 */
record HealthCall(RpcMethod<?, ?> method, Message request) {
    HealthCall {
        Objects.requireNonNull(method, "method");
        Objects.requireNonNull(request, "request");
    }
}
