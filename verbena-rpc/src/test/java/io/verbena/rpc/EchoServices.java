// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.RpcCallback;
import com.google.protobuf.RpcController;
import io.verbena.rpc.test.EchoRequest;
import io.verbena.rpc.test.EchoResponse;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Services for tests. */
final class EchoServices {
    private EchoServices() {}

    /** Echoes requests, late or with a failure if asked to. */
    static class Echo extends GenericEchoService {
        @Override
        public void echo(
                RpcController controller, EchoRequest request, RpcCallback<EchoResponse> done) {
            if (request.hasSleepMs()) {
                long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(request.getSleepMs());
                while (System.nanoTime() - end < 0) {
                    LockSupport.parkNanos(end - System.nanoTime());
                }
            }
            answer((Controller) controller, request, done);
        }

        @Override
        @NonBlocking
        public void echoInline(
                RpcController controller, EchoRequest request, RpcCallback<EchoResponse> done) {
            answer((Controller) controller, request, done);
        }

        private static void answer(
                Controller controller, EchoRequest request, RpcCallback<EchoResponse> done) {
            if (request.hasFailWith()) {
                controller.setFailed(request.getFailWith(), "as you wish");
            }
            if (controller.hasRequestAttachment()) {
                controller.responseAttachment().append(controller.requestAttachment());
            }
            done.run(
                    EchoResponse.newBuilder()
                            .setMessage(request.getMessage())
                            .setData(request.getData())
                            .build());
        }
    }
}
