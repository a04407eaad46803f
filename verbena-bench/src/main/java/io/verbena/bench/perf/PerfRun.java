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
            List<PerfCalls> all = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                List<String> servers = settings.servers();
                String server = servers.get((firstServer + i) % servers.size());
                Channel channel = Channel.open(node, server, settings.channel());
                channels.add(channel);
                all.add(calls(channel, attachment));
            }
            measure(all);
        } finally {
            channels.forEach(Channel::close);
        }
    }

    private IOBuf attachment() {
        byte[] bytes = new byte[attachmentBytes];
        new Random().nextBytes(bytes);
        return node.pool().buffer().append(bytes);
    }

    private PerfCalls calls(Channel channel, IOBuf attachment) {
        PerfCalls calls =
                new PerfCalls(
                        channel,
                        settings,
                        attachment,
                        tally,
                        tokens,
                        reason -> err.println("RPC call failed: " + reason));
        try {
            calls.warmUp();
        } catch (RpcException e) {
            throw new ToolException("RPC call failed: " + e.getMessage(), e);
        }
        return calls;
    }

    private void measure(List<PerfCalls> all) throws InterruptedException {
        long start = System.nanoTime();
        long end = start + TimeUnit.SECONDS.toNanos(settings.seconds());
        try {
            all.forEach(calls -> calls.start(end));
            for (PerfCalls calls : all) {
                awaitEnd(calls, start);
            }
        } finally {
            all.forEach(PerfCalls::stop);
        }
        long tookNs = System.nanoTime() - start;
        tally.onSecond();
        out.println(
                settings.iterations() == 0
                        ? PerfLines.result(tally, attachmentBytes, tookNs)
                        : PerfLines.throughput(tally, attachmentBytes, tookNs));
        out.flush();
    }

    private void awaitEnd(PerfCalls calls, long start) throws InterruptedException {
        long nextSecond = start + SECOND_NS;
        while (!calls.awaitEnd(Tokens.REFILL_NS)) {
            long now = System.nanoTime();
            tokens.refill(now);
            while (now - nextSecond >= 0) {
                tally.onSecond();
                nextSecond += SECOND_NS;
            }
        }
    }
}
