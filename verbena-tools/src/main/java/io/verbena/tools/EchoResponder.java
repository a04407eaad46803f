// SPDX-License-Identifier: Apache-2.0

package io.verbena.tools;

import io.verbena.rpc.Call;
import io.verbena.rpc.NonBlocking;
import io.verbena.tools.proto.EchoRequest;
import io.verbena.tools.proto.EchoResponse;
import io.verbena.tools.proto.EchoService;

/** Answers with the message and the attachment that it receives; {@code example.EchoService}. */
@NonBlocking
public final class EchoResponder implements EchoService {
    /** A service without state. */
    public EchoResponder() {}

    @Override
    public EchoResponse echo(Call call, EchoRequest request) {
        if (call.hasRequestAttachment()) {
            call.responseAttachment().append(call.requestAttachment());
        }
        return EchoResponse.newBuilder().setMessage(request.getMessage()).build();
    }
}
