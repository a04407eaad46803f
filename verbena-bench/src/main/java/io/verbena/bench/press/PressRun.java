// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.press;

import io.verbena.bench.measure.Tally;
import io.verbena.memory.IOBuf;
import io.verbena.rpc.Channel;
import io.verbena.rpc.ClientCall;
import io.verbena.rpc.RpcException;
import io.verbena.tools.ToolException;
import io.verbena.tools.proto.EchoRequest;
import io.verbena.tools.proto.EchoResponse;
import io.verbena.tools.proto.EchoServiceClient;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;

/** Makes calls by a {@link Schedule}, from one thread, and prints the results. */
final class PressRun {
    /** Further calls wait; their latency counts from when they were due. */
    private static final int MOST_UNDER_WAY = 1 << 16;

    private static final long SECOND_NS = TimeUnit.SECONDS.toNanos(1);

    private final PrintWriter out;
    private final List<Channel> channels;
    private final EchoRequest request = EchoRequest.newBuilder().setMessage("press").build();
    private final IOBuf attachment;
    private final Tally tally = Tally.ofAll();
    private final Semaphore room = new Semaphore(MOST_UNDER_WAY);

    /**
     * A run that is not started.
     *
     * @param out where it prints
     * @param channels the channels, which calls use in turn; they stay the caller's
     * @param attachment what is attached to each; stays the caller's
     */
    PressRun(PrintWriter out, List<Channel> channels, IOBuf attachment) {
        this.out = out;
        this.channels = channels;
        this.attachment = attachment;
    }

    /**
     * Runs it, and waits for the calls that are under way at the end.
     *
     * @param perSecond calls per second
     * @param seconds for how long
     * @return whether all calls were answered
     * @throws ToolException if the server cannot be called at all
     */
    boolean run(double perSecond, int seconds) throws InterruptedException {
        channels.forEach(this::connect);
        long start = System.nanoTime();
        Schedule schedule = new Schedule(start, perSecond);
        long calls = Math.round(perSecond * seconds);
        long nextLine = start + SECOND_NS;
        for (long i = 0; i < calls; i++) {
            schedule.await(i);
            room.acquire();
            new Shot(channels.get((int) (i % channels.size())), schedule.dueNs(i)).fire();
            if (System.nanoTime() - nextLine >= 0) {
                printSecond((System.nanoTime() - start) / SECOND_NS, i + 1);
                nextLine += SECOND_NS;
            }
        }
        room.acquire(MOST_UNDER_WAY);
        printSummary(calls, System.nanoTime() - start);
        return tally.failed() == 0;
    }

    /** Makes a call before the measurement: connecting is not part of it. */
    private void connect(Channel channel) {
        try {
            new EchoServiceClient(channel).echo(request);
        } catch (RpcException e) {
            throw new ToolException("the first call failed: " + e.getMessage(), e);
        }
    }

    private void printSecond(long second, long made) {
        Histogram latencies = tally.takeInterval();
        out.printf(
                Locale.ROOT,
                "%4d s  %,d made, %,d answered, %,d failed, p50 %.1f us, p99 %.1f us, max %.1f us%n",
                second,
                made,
                tally.answered(),
                tally.failed(),
                latencies.getValueAtPercentile(50) / 1e3,
                latencies.getValueAtPercentile(99) / 1e3,
                latencies.getMaxValue() / 1e3);
        out.flush();
    }

    private void printSummary(long calls, long tookNs) {
        tally.takeInterval();
        Histogram latencies = tally.sum();
        out.printf(
                Locale.ROOT,
                "made %,d calls, %,.0f per second; answered %,d; failed %,d%s%n",
                calls,
                calls * 1e9 / tookNs,
                tally.answered(),
                tally.failed(),
                tally.failed() == 0 ? "" : ": " + tally.failures());
        out.println("latency from the moment each call was due, in microseconds:");
        for (double percentile : new double[] {50, 90, 99, 99.9, 99.99, 100}) {
            out.printf(
                    Locale.ROOT,
                    "%8s %% %12.1f%n",
                    percentile,
                    latencies.getValueAtPercentile(percentile) / 1e3);
        }
        out.flush();
    }

    /** One call. */
    private final class Shot implements Consumer<EchoResponse> {
        private final EchoServiceClient client;
        private final ClientCall call;
        private final long dueNs;

        Shot(Channel channel, long dueNs) {
            this.client = new EchoServiceClient(channel);
            this.call = channel.newCall();
            this.dueNs = dueNs;
        }

        void fire() {
            if (!attachment.isEmpty()) {
                call.requestAttachment().append(attachment);
            }
            client.echoAsync(request, call, this);
        }

        @Override
        public void accept(EchoResponse response) {
            if (call.failed()) {
                tally.onFailure(call.errorCode());
            } else {
                tally.onAnswer(System.nanoTime() - dueNs);
            }
            call.close();
            room.release();
        }
    }
}
