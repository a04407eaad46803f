// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.rpc.test.EchoRequest;
import io.verbena.rpc.test.EchoResponse;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/** Services for tests. */
final class EchoServices {
    private EchoServices() {}

    /** Echoes requests, late or with a failure if asked to. */
    static class Echo extends CallbackEchoService {
        @Override
        public void echo(
                ServerController controller, EchoRequest request, Consumer<EchoResponse> done) {
            if (request.hasSleepMs()) {
                long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(request.getSleepMs());
                while (System.nanoTime() - end < 0) {
                    LockSupport.parkNanos(end - System.nanoTime());
                }
            }
            answer(controller, request, done);
        }

        @Override
        @NonBlocking
        public void echoInline(
                ServerController controller, EchoRequest request, Consumer<EchoResponse> done) {
            answer(controller, request, done);
        }

        private static void answer(
                ServerController controller, EchoRequest request, Consumer<EchoResponse> done) {
            if (request.hasFailWith()) {
                controller.setFailed(request.getFailWith(), "as you wish");
            }
            if (controller.hasRequestAttachment()) {
                controller.responseAttachment().append(controller.requestAttachment());
            }
            done.accept(
                    EchoResponse.newBuilder()
                            .setMessage(request.getMessage())
                            .setData(request.getData())
                            .build());
        }
    }
}
