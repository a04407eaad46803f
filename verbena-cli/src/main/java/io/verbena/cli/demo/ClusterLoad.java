// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.demo;

import io.verbena.rpc.Channel;
import io.verbena.rpc.ClientCall;
import io.verbena.rpc.RpcException;
import io.verbena.tools.proto.EchoRequest;
import io.verbena.tools.proto.EchoServiceClient;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.LongAdder;

/** Calls a cluster from several threads, and counts who answered. */
final class ClusterLoad implements AutoCloseable {
    private static final int CALLERS = 8;
    private static final EchoRequest REQUEST =
            EchoRequest.newBuilder().setMessage("who is there?").build();

    private final Channel channel;
    private final EchoServiceClient client;
    private final ConcurrentMap<Integer, LongAdder> byPort = new ConcurrentHashMap<>();
    private final LongAdder started = new LongAdder();
    private final LongAdder failed = new LongAdder();
    private final LongAdder retried = new LongAdder();
    private final List<Thread> callers = new ArrayList<>();
    private volatile String failure = "";
    private volatile boolean isOver;

    ClusterLoad(Channel channel) {
        this.channel = channel;
        this.client = new EchoServiceClient(channel);
    }

    void start() {
        for (int i = 0; i < CALLERS; i++) {
            callers.add(Thread.ofVirtual().name("caller-" + i).start(this::callOn));
        }
    }

    private void callOn() {
        try (ClientCall call = channel.newCall()) {
            while (!isOver) {
                call.reset();
                callOnce(call);
            }
        }
    }

    private void callOnce(ClientCall call) {
        started.increment();
        try {
            client.echo(REQUEST, call);
            byPort.computeIfAbsent(call.remoteSide().getPort(), port -> new LongAdder())
                    .increment();
        } catch (RpcException e) {
            failed.increment();
            failure = e.getMessage();
        }
        retried.add(call.retriedCount());
    }

    long answeredBy(int port) {
        LongAdder answered = byPort.get(port);
        return answered == null ? 0 : answered.sum();
    }

    long answered() {
        return byPort.values().stream().mapToLong(LongAdder::sum).sum();
    }

    long failed() {
        return failed.sum();
    }

    /** {@return why the latest call that failed did so; empty if none has} */
    String failure() {
        return failure;
    }

    long retried() {
        return retried.sum();
    }

    /** {@return how many calls have no outcome: after {@link #end}, none} */
    long open() {
        return started.sum() - answered() - failed();
    }

    @Override
    public void close() {
        end();
    }

    /** Starts no more calls, and waits for those under way. */
    void end() {
        isOver = true;
        for (Thread caller : callers) {
            try {
                caller.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }
}
