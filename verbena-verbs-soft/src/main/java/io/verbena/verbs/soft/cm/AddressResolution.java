// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft.cm;

import io.verbena.verbs.Errno;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.IntConsumer;

/**
 * One attempt to resolve an address, on its own thread because a name server may be slow. Calls
 * exactly one of its two continuations, once, with no lock held.
 */
final class AddressResolution {
    private final AtomicBoolean settled = new AtomicBoolean();
    private final Consumer<InetSocketAddress> found;
    private final IntConsumer failed;

    private AddressResolution(Consumer<InetSocketAddress> found, IntConsumer failed) {
        this.found = found;
        this.failed = failed;
    }

    /**
     * Starts an attempt.
     *
     * @param threads where it is done
     * @param destination the address to resolve
     * @param timeout how long it may take
     * @param found takes the resolved address of this host
     * @param failed takes a positive error number
     */
    static void start(
            CmThreads threads,
            InetSocketAddress destination,
            Duration timeout,
            Consumer<InetSocketAddress> found,
            IntConsumer failed) {
        AddressResolution resolution = new AddressResolution(found, failed);
        if (!destination.isUnresolved()) {
            threads.execute(() -> resolution.settle(destination));
            return;
        }
        CmDeadline deadline = threads.after(timeout, () -> resolution.fail(Errno.ETIMEDOUT));
        // a name server may take its time: more than the workers have
        CmThreads.start("verbena-cm-resolve", () -> resolution.lookUp(destination, deadline));
    }

    private void settle(InetSocketAddress destination) {
        try {
            settle(destination.getPort(), destination.getAddress());
        } catch (Throwable e) {
            CmThreads.log(e);
            fail(Errno.EIO);
        }
    }

    private void lookUp(InetSocketAddress destination, CmDeadline deadline) {
        try {
            settle(destination.getPort(), InetAddress.getAllByName(destination.getHostString()));
        } catch (UnknownHostException _) {
            fail(Errno.EHOSTUNREACH);
        } catch (Throwable e) {
            CmThreads.log(e);
            fail(Errno.EIO);
        } finally {
            deadline.cancel();
        }
    }

    private void settle(int port, InetAddress... candidates) {
        for (InetAddress candidate : candidates) {
            if (HostAddresses.contains(candidate)) {
                succeed(HostAddresses.reachable(new InetSocketAddress(candidate, port)));
                return;
            }
        }
        fail(Errno.EHOSTUNREACH);
    }

    private void succeed(InetSocketAddress address) {
        if (settled.compareAndSet(false, true)) {
            found.accept(address);
        }
    }

    private void fail(int errno) {
        if (settled.compareAndSet(false, true)) {
            failed.accept(errno);
        }
    }
}
