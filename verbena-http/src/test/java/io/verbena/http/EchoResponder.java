// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import io.verbena.http.test.EchoRequest;
import io.verbena.http.test.EchoResponse;
import io.verbena.http.test.EchoService;
import io.verbena.rpc.Call;
import io.verbena.rpc.NonBlocking;
import io.verbena.rpc.RpcException;
import io.verbena.testing.Eventually;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** Echoes requests, late or with a failure if asked to, and counts them. */
class EchoResponder implements EchoService {
    private final AtomicInteger served = new AtomicInteger();

    @Override
    public EchoResponse echo(Call call, EchoRequest request) {
        if (request.hasSleepMs()) {
            long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(request.getSleepMs());
            while (System.nanoTime() - end < 0) {
                LockSupport.parkNanos(end - System.nanoTime());
            }
        }
        return answer(request);
    }

    /** {@return one that answers the request "held" only after a latch has opened} */
    static EchoResponder holding(CountDownLatch release) {
        return new EchoResponder() {
            @Override
            public EchoResponse echo(Call call, EchoRequest request) {
                if (request.getMessage().equals("held")) {
                    await(release);
                }
                return super.echo(call, request);
            }
        };
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    @NonBlocking
    public EchoResponse echoInline(Call call, EchoRequest request) {
        return answer(request);
    }

    private EchoResponse answer(EchoRequest request) {
        served.incrementAndGet();
        if (request.hasFailWith()) {
            throw new RpcException(request.getFailWith(), "as you wish");
        }
        return EchoResponse.newBuilder()
                .setMessage(request.getMessage())
                .setData(request.getData())
                .build();
    }

    int served() {
        return served.get();
    }

    /** Waits until it has answered this many more. */
    void awaitLoad(int calls) {
        int least = served() + calls;
        Eventually.become(() -> served() >= least, () -> "served " + served());
    }
}
