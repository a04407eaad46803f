// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import com.google.protobuf.RpcCallback;
import com.google.protobuf.RpcController;
import io.verbena.http.test.EchoRequest;
import io.verbena.http.test.EchoResponse;
import io.verbena.http.test.EchoService;
import io.verbena.rpc.NonBlocking;
import io.verbena.rpc.ServerController;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** Echoes requests, late or with a failure if asked to, and counts them. */
class EchoResponder extends EchoService {
    private final AtomicInteger served = new AtomicInteger();

    @Override
    public void echo(
            RpcController controller, EchoRequest request, RpcCallback<EchoResponse> done) {
        if (request.hasSleepMs()) {
            long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(request.getSleepMs());
            while (System.nanoTime() - end < 0) {
                LockSupport.parkNanos(end - System.nanoTime());
            }
        }
        answer((ServerController) controller, request, done);
    }

    @Override
    @NonBlocking
    public void echoInline(
            RpcController controller, EchoRequest request, RpcCallback<EchoResponse> done) {
        answer((ServerController) controller, request, done);
    }

    private void answer(
            ServerController call, EchoRequest request, RpcCallback<EchoResponse> done) {
        served.incrementAndGet();
        if (request.hasFailWith()) {
            call.setFailed(request.getFailWith(), "as you wish");
        }
        done.run(
                EchoResponse.newBuilder()
                        .setMessage(request.getMessage())
                        .setData(request.getData())
                        .build());
    }

    int served() {
        return served.get();
    }

    /** Waits until it has answered this many more. */
    void awaitLoad(int calls) {
        int least = served() + calls;
        HttpFixture.eventually(() -> served() >= least, () -> "served " + served());
    }
}
