// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.rpc;

import com.google.protobuf.RpcCallback;
import com.google.protobuf.RpcController;
import io.verbena.cli.proto.EchoRequest;
import io.verbena.cli.proto.EchoResponse;
import io.verbena.cli.proto.EchoService;
import io.verbena.rpc.Controller;
import io.verbena.rpc.NonBlocking;

/** Answers with the message and the attachment it gets; {@code example.EchoService}. */
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
