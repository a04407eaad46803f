// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.perf;

import io.verbena.memory.IOBuf;
import io.verbena.rpc.Channel;
import io.verbena.rpc.RpcException;
import io.verbena.rpc.RpcNode;
import io.verbena.tools.ToolException;
import io.verbena.transport.SocketMode;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/** One run: a number of channels, one attachment size. Prints two lines, like brpc's program. */
final class PerfRun {
    private static final long SECOND_NS = TimeUnit.SECONDS.toNanos(1);

    private final PrintWriter out;
    private final PrintWriter err;
    private final PerfSettings settings;
    private final RpcNode node;
    private final int threads;
    private final int attachmentBytes;
    private final PerfTally tally = new PerfTally();
    private final Tokens tokens;

    PerfRun(
            PrintWriter out,
            PrintWriter err,
            PerfSettings settings,
            RpcNode node,
            int threads,
            int attachmentBytes) {
        this.out = out;
        this.err = err;
        this.settings = settings;
        this.node = node;
        this.threads = threads;
        this.attachmentBytes = attachmentBytes;
        this.tokens = new Tokens(settings.expectedQps(), System.nanoTime());
    }

    /**
     * Runs it.
     *
     * @param firstServer the index of the server that the first channel calls
     * @throws ToolException if a server cannot be called
     */
    void run(int firstServer) throws InterruptedException {
        out.println(
                PerfLines.header(
                        threads,
                        settings.depth(),
                        attachmentBytes,
                        settings.mode() == SocketMode.RDMA,
                        settings.isEcho()));
        out.flush();
        List<Channel> channels = new ArrayList<>();
        try (IOBuf attachment = attachment()) {
            List<PerfLane> lanes = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                List<String> servers = settings.servers();
                String server = servers.get((firstServer + i) % servers.size());
                Channel channel = Channel.open(node, server, settings.channel());
                channels.add(channel);
                lanes.add(lane(channel, attachment));
            }
            measure(lanes);
        } finally {
            channels.forEach(Channel::close);
        }
    }

    private IOBuf attachment() {
        byte[] bytes = new byte[attachmentBytes];
        new Random().nextBytes(bytes);
        return node.pool().buffer().append(bytes);
    }

    private PerfLane lane(Channel channel, IOBuf attachment) {
        PerfLane lane =
                new PerfLane(
                        channel,
                        settings,
                        attachment,
                        tally,
                        tokens,
                        reason -> err.println("RPC call failed: " + reason));
        try {
            lane.warmUp();
        } catch (RpcException e) {
            throw new ToolException("RPC call failed: " + e.getMessage(), e);
        }
        return lane;
    }

    private void measure(List<PerfLane> lanes) throws InterruptedException {
        long start = System.nanoTime();
        long end = start + TimeUnit.SECONDS.toNanos(settings.seconds());
        try {
            lanes.forEach(lane -> lane.start(end));
            for (PerfLane lane : lanes) {
                awaitEnd(lane, start);
            }
        } finally {
            lanes.forEach(PerfLane::stop);
        }
        long tookNs = System.nanoTime() - start;
        tally.onSecond();
        out.println(
                settings.iterations() == 0
                        ? PerfLines.result(tally, attachmentBytes, tookNs)
                        : PerfLines.throughput(tally, attachmentBytes, tookNs));
        out.flush();
    }

    private void awaitEnd(PerfLane lane, long start) throws InterruptedException {
        long nextSecond = start + SECOND_NS;
        while (!lane.awaitEnd(Tokens.REFILL_NS)) {
            long now = System.nanoTime();
            tokens.refill(now);
            while (now - nextSecond >= 0) {
                tally.onSecond();
                nextSecond += SECOND_NS;
            }
        }
    }
}
