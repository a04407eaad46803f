// SPDX-License-Identifier: Apache-2.0

package io.verbena.compare;

import io.aeron.Aeron;
import io.aeron.CommonContext;
import io.aeron.FragmentAssembler;
import io.aeron.Publication;
import io.aeron.Subscription;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import io.aeron.logbuffer.FragmentHandler;
import org.agrona.CloseHelper;
import org.agrona.concurrent.AgentRunner;

/**
 * Aeron IPC: a stream of requests and one of answers through shared memory, each side with one
 * thread that polls, and the media driver in the server's process. It has no calls; answers come in
 * the order of the requests.
 */
public final class AeronSystem implements EchoSystem {
    private static final int REQUESTS = 1;
    private static final int ANSWERS = 2;

    /** An eighth of it is the largest message. */
    private static final int TERM_BYTES = 16 << 20;

    /** For {@link java.util.ServiceLoader}. */
    public AeronSystem() {}

    @Override
    public String name() {
        return "aeron-ipc";
    }

    /** {@return the process id, which the name of the driver's directory contains} */
    @Override
    public int serve(Contestant contestant) {
        int pid = Math.toIntExact(ProcessHandle.current().pid());
        MediaDriver driver =
                MediaDriver.launchEmbedded(
                        new MediaDriver.Context()
                                .aeronDirectoryName(directory(pid))
                                .ipcTermBufferLength(TERM_BYTES)
                                .threadingMode(ThreadingMode.SHARED)
                                .dirDeleteOnShutdown(true));
        Aeron aeron = open(pid);
        Publication answers = aeron.addPublication(CommonContext.IPC_CHANNEL, ANSWERS);
        Subscription requests = aeron.addSubscription(CommonContext.IPC_CHANNEL, REQUESTS);
        FragmentHandler echo =
                (buffer, offset, length, _) -> AeronLoop.offer(answers, buffer, offset, length);
        AgentRunner runner = AeronLoop.start("aeron-server", requests, new FragmentAssembler(echo));
        Runtime.getRuntime()
                .addShutdownHook(
                        Thread.ofPlatform()
                                .name("aeron-end")
                                .unstarted(() -> CloseHelper.closeAll(runner, aeron, driver)));
        return pid;
    }

    @Override
    public EchoClient connect(Contestant contestant, int pid) {
        Aeron aeron = open(pid);
        return new AeronClient(
                aeron,
                aeron.addPublication(CommonContext.IPC_CHANNEL, REQUESTS),
                aeron.addSubscription(CommonContext.IPC_CHANNEL, ANSWERS));
    }

    private static Aeron open(int pid) {
        return Aeron.connect(new Aeron.Context().aeronDirectoryName(directory(pid)));
    }

    private static String directory(int pid) {
        return CommonContext.getAeronDirectoryName() + "-compare-" + pid;
    }
}
