// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.demo;

import io.verbena.bench.measure.Tally;
import io.verbena.memory.IOBuf;
import io.verbena.rpc.Channel;
import io.verbena.rpc.ClientCall;
import io.verbena.tools.CallLoop;
import io.verbena.tools.ToolException;
import io.verbena.tools.proto.EchoRequest;
import io.verbena.tools.proto.EchoResponse;
import io.verbena.tools.proto.EchoService;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Calls of one kind over one channel, and how fast they were. One thread runs it; calls end on the
 * channel's threads.
 */
final class DemoLoad implements CallLoop.Observer<EchoResponse>, AutoCloseable {
    private static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(10);

    /** One answer in this many is compared byte by byte; the length of every answer is checked. */
    private static final int CHECK_EACH = 16;

    private final CallKind kind;
    private final Channel channel;
    private final EchoRequest request;
    private final IOBuf attachment;
    private final byte[] attached;
    private final AtomicLong answers = new AtomicLong();
    private volatile Tally tally = Tally.ofAll();
    private volatile Optional<String> failure = Optional.empty();
    private volatile long endNs;
    private long spentNs;

    DemoLoad(CallKind kind, Channel channel, IOBuf attachment) {
        this.kind = kind;
        this.channel = channel;
        this.request = EchoRequest.newBuilder().setMessage("x".repeat(kind.messageBytes())).build();
        this.attached = new byte[kind.attachmentBytes()];
        new Random(1).nextBytes(attached);
        this.attachment = attachment.append(attached);
    }

    /**
     * Makes calls for a while.
     *
     * @param durationNs for how long
     * @throws ToolException if one of them fails
     */
    void run(long durationNs) throws InterruptedException {
        CallLoop<EchoRequest, EchoResponse> loop =
                new CallLoop<>(
                        channel,
                        new CallLoop.Work<>(EchoService.Methods.ECHO, request, attachment),
                        kind.depth(),
                        this);
        long start = System.nanoTime();
        endNs = start + durationNs;
        loop.start();
        boolean hasEnded = loop.awaitEnd(durationNs + LIMIT_NS);
        if (failure.isPresent() || !hasEnded) {
            throw new ToolException(failure.orElse("calls did not end in time"));
        }
        spentNs += System.nanoTime() - start;
        tally.takeInterval();
    }

    @Override
    public boolean mayCall() {
        return failure.isEmpty() && System.nanoTime() - endNs < 0;
    }

    @Override
    public void onAnswer(ClientCall call, EchoResponse response, long tookNs) {
        tally.onAnswer(tookNs);
        boolean isCompared = answers.incrementAndGet() % CHECK_EACH == 0;
        if (!isRight(response, call.responseAttachment(), isCompared)) {
            failure = Optional.of("an answer differs from what was sent");
        }
    }

    private boolean isRight(EchoResponse response, IOBuf received, boolean isCompared) {
        return response.getMessage().length() == kind.messageBytes()
                && received.size() == attached.length
                && (!isCompared || received.equals(attachment));
    }

    @Override
    public void onFailure(ClientCall call) {
        failure = Optional.of("a call failed: " + call.errorText());
    }

    /** Discards the measurements, but not the number of calls. */
    void reset() {
        tally = Tally.ofAll();
        spentNs = 0;
    }

    CallKind kind() {
        return kind;
    }

    double percentileUs(double percentile) {
        return tally.sum().getValueAtPercentile(percentile) / 1e3;
    }

    double callsPerSecond() {
        return spentNs == 0 ? 0 : tally.answered() * 1e9 / spentNs;
    }

    /** {@return megabytes per second, in each direction} */
    double megabytesPerSecond() {
        return callsPerSecond() * kind.bytes() / 1e6;
    }

    /** {@return how many calls were answered, warm-up included} */
    long answers() {
        return answers.get();
    }

    @Override
    public void close() {
        attachment.close();
    }
}
