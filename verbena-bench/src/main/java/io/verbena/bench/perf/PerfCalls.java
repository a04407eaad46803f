// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.perf;

import io.verbena.bench.proto.PerfTestRequest;
import io.verbena.bench.proto.PerfTestResponse;
import io.verbena.bench.proto.PerfTestService;
import io.verbena.bench.proto.PerfTestServiceClient;
import io.verbena.memory.IOBuf;
import io.verbena.rpc.Channel;
import io.verbena.rpc.ClientCall;
import io.verbena.tools.CallLoop;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/** One channel with its calls; what brpc's program calls a thread. */
final class PerfCalls implements CallLoop.Observer<PerfTestResponse> {
    private final Channel channel;
    private final PerfTestRequest request;
    private final PerfTally tally;
    private final Tokens tokens;
    private final Consumer<String> onFailure;
    private final AtomicLong callsLeft;
    private final CallLoop<PerfTestRequest, PerfTestResponse> loop;
    private volatile boolean isStopped;
    private volatile long endNs;

    /**
     * Calls that are not started.
     *
     * @param channel its channel; stays the caller's
     * @param settings the settings
     * @param attachment sent along with each request; stays the caller's
     * @param tally receives the results of the calls
     * @param tokens each call takes one
     * @param onFailure receives the reason when a call fails
     */
    PerfCalls(
            Channel channel,
            PerfSettings settings,
            IOBuf attachment,
            PerfTally tally,
            Tokens tokens,
            Consumer<String> onFailure) {
        this.channel = channel;
        this.request = PerfTestRequest.newBuilder().setEchoAttachment(settings.isEcho()).build();
        this.tally = tally;
        this.tokens = tokens;
        this.onFailure = onFailure;
        this.callsLeft =
                new AtomicLong(settings.iterations() == 0 ? Long.MAX_VALUE : settings.iterations());
        this.loop =
                new CallLoop<>(
                        channel,
                        new CallLoop.Work<>(PerfTestService.Methods.TEST, request, attachment),
                        settings.depth(),
                        this);
    }

    /** Makes one call without an attachment, to connect. */
    void warmUp() {
        new PerfTestServiceClient(channel).test(request);
    }

    /**
     * Makes its first calls.
     *
     * @param untilNs when no more are made
     */
    void start(long untilNs) {
        endNs = untilNs;
        loop.start();
    }

    void stop() {
        isStopped = true;
    }

    boolean awaitEnd(long timeoutNs) throws InterruptedException {
        return loop.awaitEnd(timeoutNs);
    }

    @Override
    public boolean mayCall() {
        if (isStopped || System.nanoTime() - endNs > 0 || callsLeft.getAndDecrement() <= 0) {
            return false;
        }
        tokens.take();
        return true;
    }

    @Override
    public void onAnswer(ClientCall call, PerfTestResponse response, long tookNs) {
        tally.onAnswer(tookNs / 1000, response);
    }

    /** As in brpc's program, the first failure ends the run. */
    @Override
    public void onFailure(ClientCall call) {
        stop();
        onFailure.accept(call.errorText());
    }
}
