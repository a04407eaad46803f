// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import io.verbena.verbs.Errno;
import io.verbena.verbs.Gid;
import io.verbena.verbs.VerbsException;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * The processes this device talks to. Each listens on a UNIX-domain socket in the shared directory.
 * A process that has something to send opens a link and keeps it open; the end of the link is how a
 * death is noticed.
 */
final class Peers implements AutoCloseable {
    private static final long RETRY_ACCEPT_NS = 10_000_000;

    private final SoftDevice device;
    private final LocalPeer local;
    private final Map<Long, RemotePeer> remotes = new ConcurrentHashMap<>();

    /** The first of the dead that are not buried yet, or null. */
    private final AtomicReference<RemotePeer> dead = new AtomicReference<>();

    private ServerSocketChannel server;

    Peers(SoftDevice device) {
        this.device = device;
        this.local = new LocalPeer(device);
    }

    /** Starts accepting links. */
    void listen() {
        UnixDomainSocketAddress address =
                UnixDomainSocketAddress.of(device.directory().socket(device.guid()));
        try {
            server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
            server.bind(address, 1024);
            rehearse(address);
        } catch (IOException e) {
            throw new VerbsException(
                    "ibv_open_device", Errno.EIO, "no socket in " + device.directory().path(), e);
        }
        thread("verbena-links-" + device.name(), this::accept);
    }

    /**
     * Opens and closes a link that the accepting thread will serve and close. The JVM links native
     * methods when they are first called, which takes memory: without any, the first link that had
     * to be closed would stay open, and who is at its other end would wait for ever.
     */
    private static void rehearse(UnixDomainSocketAddress address) throws IOException {
        SocketChannel.open(address).close();
    }

    /**
     * Starts a thread for a link. Not a virtual one: the application's virtual threads may keep all
     * processors busy indefinitely, and the links are part of the network.
     */
    static void thread(String name, Runnable task) {
        Thread.ofPlatform().daemon().name(name).start(task);
    }

    private void accept() {
        Throwable fault = null;
        while (server.isOpen()) {
            try {
                if (fault != null) {
                    Throwable last = fault;
                    fault = null;
                    onAcceptFault(last);
                }
                serveOnThread(server.accept());
            } catch (ClosedChannelException e) {
                return;
            } catch (Throwable e) {
                // only kept: a report may itself fail for want of memory, and nobody would accept
                // any more
                fault = e;
            }
        }
    }

    /** Most likely there is no descriptor or memory left for the moment. */
    private static void onAcceptFault(Throwable fault) {
        LockSupport.parkNanos(RETRY_ACCEPT_NS);
        System.getLogger(Peers.class.getName())
                .log(System.Logger.Level.WARNING, "a link could not be accepted", fault);
    }

    private void serveOnThread(SocketChannel link) throws IOException {
        boolean isServed = false;
        try {
            thread("verbena-link", () -> serve(link));
            isServed = true;
        } finally {
            if (!isServed) {
                link.close();
            }
        }
    }

    private void serve(SocketChannel link) {
        RemotePeer peer = null;
        try (link) {
            long instance = LinkCodec.readHello(link);
            // first: this fails if the peer has given up the link, and opened another one
            LinkOutbox.write(link, LinkCodec.greeting());
            peer = remotes.computeIfAbsent(instance, id -> new RemotePeer(device, id));
            peer.addLink(link);
            LinkCodec.readAll(link, peer);
        } catch (IOException e) {
            System.getLogger(Peers.class.getName())
                    .log(System.Logger.Level.DEBUG, "a link ended", e);
        } catch (RuntimeException | Error e) {
            // costs this link, by whose end the peer learns of it
            System.getLogger(Peers.class.getName())
                    .log(System.Logger.Level.WARNING, "a link failed", e);
        } finally {
            if (peer != null) {
                peer.onLinkEnd(link);
            }
        }
    }

    /**
     * {@return the process with a global identifier}
     *
     * @throws VerbsException with EHOSTUNREACH if it is elsewhere or gone
     */
    Peer find(Gid gid) {
        if (gid.high() != device.namespace()) {
            throw unreachable(
                    gid,
                    "of another host, user or shared-memory folder, which the software device"
                            + " cannot reach");
        }
        if (gid.low() == device.guid()) {
            return local;
        }
        RemotePeer peer = remotes.computeIfAbsent(gid.low(), id -> new RemotePeer(device, id));
        try {
            peer.connect();
            return peer;
        } catch (IOException e) {
            peer.die();
            throw unreachable(gid, "its process is gone");
        }
    }

    private static VerbsException unreachable(Gid gid, String why) {
        return new VerbsException("ibv_modify_qp", Errno.EHOSTUNREACH, "gid " + gid + ": " + why);
    }

    void forget(RemotePeer peer) {
        remotes.remove(peer.instance(), peer);
    }

    /** Looks for peers that have cut off the memory they share. */
    void checkMemory() {
        if (!remotes.isEmpty()) {
            remotes.values().forEach(RemotePeer::checkMemory);
        }
    }

    /** A peer has died, and must be buried. Takes no memory. Any thread, once per peer. */
    void mourn(RemotePeer peer) {
        RemotePeer next;
        do {
            next = dead.get();
            peer.nextDead(next);
        } while (!dead.compareAndSet(next, peer));
    }

    /**
     * Does what was left undone when peers died, for want of memory for example: nothing else would
     * ever try again, and whoever waits for them would wait for ever. The device's thread.
     *
     * @param faults receives what one of them throws; the next call tries again
     */
    void buryDead(Consumer<Throwable> faults) {
        RemotePeer before = null;
        RemotePeer one = dead.get();
        while (one != null) {
            RemotePeer next = one.nextDead();
            if (!tryBury(one, faults)) {
                before = one;
            } else if (before != null) {
                before.nextDead(next);
            } else if (!dead.compareAndSet(one, next)) {
                // others have died since, and the next call finds it behind them
                before = one;
            }
            one = next;
        }
    }

    private static boolean tryBury(RemotePeer peer, Consumer<Throwable> faults) {
        try {
            return peer.bury();
        } catch (Throwable e) {
            faults.accept(e);
            return false;
        }
    }

    /** Tells every peer that a segment is gone, so that they unmap it. */
    void freed(int segment) {
        remotes.values().forEach(peer -> peer.freed(segment));
    }

    @Override
    public void close() {
        try {
            if (server != null) {
                server.close();
            }
        } catch (IOException e) {
            System.getLogger(Peers.class.getName())
                    .log(System.Logger.Level.DEBUG, "the socket could not be closed", e);
        }
    }
}
