// SPDX-License-Identifier: Apache-2.0

package io.verbena.tools;

import com.google.protobuf.RpcCallback;
import com.google.protobuf.RpcController;
import io.verbena.rpc.Controller;
import io.verbena.rpc.NonBlocking;
import io.verbena.tools.proto.EchoRequest;
import io.verbena.tools.proto.EchoResponse;
import io.verbena.tools.proto.EchoService;

/** Answers with the message and the attachment that it receives; {@code example.EchoService}. */
@NonBlocking
public final class EchoResponder extends EchoService {
    /** A service without state. */
    public EchoResponder() {}

    @Override
    public void echo(
            RpcController controller, EchoRequest request, RpcCallback<EchoResponse> done) {
        Controller call = (Controller) controller;
        if (!call.requestAttachment().isEmpty()) {
            call.responseAttachment().append(call.requestAttachment());
        }
        done.run(EchoResponse.newBuilder().setMessage(request.getMessage()).build());
    }
}
