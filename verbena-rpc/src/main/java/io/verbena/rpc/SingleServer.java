// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.rpc.spi.ServerNode;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * The only server of a channel that was opened with an address. If its host name gets another
 * address, new calls go there.
 */
final class SingleServer implements ServerSelector {
    private final ChannelOptions options;
    private final RemoteServers remotes;

    /** Receives the server at the address before. */
    private final Retirement retirement;

    private final ReentrantLock lock = new ReentrantLock();
    private final Runnable unwatch;
    private volatile Target target;
    private boolean isClosed;

    SingleServer(
            String address,
            ChannelOptions options,
            RemoteServers remotes,
            HostWatcher hosts,
            Retirement retirement) {
        this.options = options;
        this.remotes = remotes;
        this.retirement = retirement;
        this.target = at(Addresses.parse(address));
        this.unwatch = hosts.watch(address, target.node().address(), this::moveTo);
    }

    private Target at(InetSocketAddress address) {
        return Target.of(new ServerNode(address, ""), options, remotes);
    }

    /** The host has another address. */
    private void moveTo(InetSocketAddress address) {
        lock.lock();
        try {
            if (!isClosed) {
                Target old = target;
                target = at(address);
                retirement.add(old);
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Target select(PendingCall call) {
        Target current = target;
        return current.isAvailable() ? current : null;
    }

    @Override
    public List<Target> targets() {
        return List.of(target);
    }

    @Override
    public void onLeave(Consumer<InetSocketAddress> listener) {
        retirement.onLeave(listener);
    }

    @Override
    public TryFailure noServer() {
        return TryFailure.of(
                RpcError.EHOSTDOWN, "not connected to " + target.node() + " yet; probing it");
    }

    @Override
    public void close() {
        unwatch.run();
        lock.lock();
        try {
            if (!isClosed) {
                isClosed = true;
                target.release(remotes);
            }
        } finally {
            lock.unlock();
        }
        retirement.close();
    }
}
