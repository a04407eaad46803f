// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.generic;

import com.google.protobuf.RpcCallback;
import com.google.protobuf.RpcController;
import io.verbena.rpc.Call;
import io.verbena.rpc.NonBlocking;
import io.verbena.rpc.generic.test.Echo;
import io.verbena.rpc.generic.test.Saying;

/** Echoes messages and attachments. */
class Echoing extends GenericEcho {
    static Saying saying(String text) {
        return Saying.newBuilder().setText(text).build();
    }

    static Echo echo(Saying request) {
        return Echo.newBuilder().setText(request.getText()).setData(request.getData()).build();
    }

    @Override
    public void say(RpcController controller, Saying request, RpcCallback<Echo> done) {
        Call call = GenericServices.call(controller);
        if (call.hasRequestAttachment()) {
            call.responseAttachment().append(call.requestAttachment());
        }
        done.run(echo(request));
    }

    @Override
    @NonBlocking
    public void sayInline(RpcController controller, Saying request, RpcCallback<Echo> done) {
        say(controller, request, done);
    }
}
