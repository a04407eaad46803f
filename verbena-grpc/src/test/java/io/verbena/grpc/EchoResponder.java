// SPDX-License-Identifier: Apache-2.0
package io.verbena.grpc;

import io.verbena.grpc.test.EchoRequest;
import io.verbena.grpc.test.EchoResponse;
import io.verbena.grpc.test.EchoService;
import io.verbena.rpc.Call;
import io.verbena.rpc.CompressType;
import io.verbena.rpc.NonBlocking;
import io.verbena.rpc.RpcException;
import io.verbena.rpc.RpcService;
import io.verbena.rpc.ServiceDefinition;
import io.verbena.rpc.StreamReader;
import io.verbena.rpc.StreamWriter;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** Sends back what it gets; fails, waits and compresses as the request wants. */
final class EchoResponder implements RpcService {
    /** Wants an answer that comes when {@link #gate} opens. */
    static final int WAITING = 1;

    final AtomicInteger written = new AtomicInteger();
    final CountDownLatch entered = new CountDownLatch(1);
    final CountDownLatch canceled = new CountDownLatch(1);
    final CountDownLatch gate = new CountDownLatch(1);

    /** What calls of Echo fail with that do not say it themselves; 0 if they succeed. */
    volatile int failWith;

    @Override
    public ServiceDefinition definition() {
        return ServiceDefinition.of(EchoService.Methods.SERVICE, this)
                .unary(EchoService.Methods.ECHO, this::echo)
                .unary(EchoService.Methods.ECHO_INLINE, this::echoInline)
                .clientStream(EchoService.Methods.COLLECT, this::collect)
                .serverStream(EchoService.Methods.REPEAT, this::repeat)
                .bidirectional(EchoService.Methods.CHAT, this::chat)
                .build();
    }

    /** Joins the texts of all requests. */
    private EchoResponse collect(Call call, StreamReader<EchoRequest> requests) {
        StringBuilder all = new StringBuilder();
        long bytes = 0;
        for (EchoRequest request : requests) {
            all.append(request.getMessage());
            bytes += request.getData().size();
        }
        call.responseUserFields().put("bytes", Long.toString(bytes));
        return EchoResponse.newBuilder()
                .setMessage(all.toString())
                .putFields("bytes", Long.toString(bytes))
                .build();
    }

    /** Answers as many times as the request says, and then as it says, too. */
    private void repeat(Call call, EchoRequest request, StreamWriter<EchoResponse> responses) {
        call.onCancel(canceled::countDown);
        call.responseUserFields().put("answered-by", "verbena");
        for (int i = 0; i < request.getCount(); i++) {
            responses.write(
                    EchoResponse.newBuilder()
                            .setMessage(request.getMessage() + i)
                            .setData(request.getData())
                            .build());
            written.incrementAndGet();
        }
        if (request.getFailWith() != 0) {
            throw new RpcException(request.getFailWith(), request.getMessage());
        }
    }

    private void chat(
            Call call, StreamReader<EchoRequest> requests, StreamWriter<EchoResponse> responses) {
        call.onCancel(canceled::countDown);
        for (EchoRequest request : requests) {
            if (request.getFailWith() != 0) {
                throw new RpcException(request.getFailWith(), request.getMessage());
            }
            if (request.getSleepMs() == WAITING) {
                entered.countDown();
                await();
            }
            responses.write(
                    EchoResponse.newBuilder()
                            .setMessage(request.getMessage())
                            .setData(request.getData())
                            .build());
        }
    }

    EchoResponse echo(Call call, EchoRequest request) {
        int code = request.getFailWith() != 0 ? request.getFailWith() : failWith;
        if (code != 0) {
            throw new RpcException(code, request.getMessage());
        }
        if (request.getSleepMs() == WAITING) {
            call.onCancel(canceled::countDown);
            entered.countDown();
            await();
        }
        if (call.requestCompressType() == CompressType.GZIP) {
            call.setResponseCompressType(CompressType.GZIP);
        }
        call.responseUserFields().put("answered-by", "verbena");
        call.responseUserFields().put("trace-bin", "AAECAw");
        return EchoResponse.newBuilder()
                .setMessage(request.getMessage())
                .setData(request.getData())
                .putAllFields(call.requestUserFields())
                .putFields("remaining", Long.toString(call.remainingMs()))
                .putFields("compression", call.requestCompressType().name())
                .build();
    }

    private void await() {
        try {
            gate.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @NonBlocking
    public EchoResponse echoInline(Call call, EchoRequest request) {
        return EchoResponse.newBuilder()
                .setMessage(request.getMessage())
                .setData(request.getData())
                .build();
    }
}
