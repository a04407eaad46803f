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
import java.util.concurrent.locks.LockSupport;

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
    private ServerSocketChannel server;

    Peers(SoftDevice device) {
        this.device = device;
        this.local = new LocalPeer(device);
    }

    /** Starts accepting links. */
    void listen() {
        try {
            server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
            server.bind(UnixDomainSocketAddress.of(device.directory().socket(device.guid())), 1024);
        } catch (IOException e) {
            throw new VerbsException(
                    "ibv_open_device", Errno.EIO, "no socket in " + device.directory().path(), e);
        }
        thread("verbena-links-" + device.name(), this::accept);
    }

    /**
     * Starts a thread for a link. Not a virtual one: the application's virtual threads may keep all
     * processors busy indefinitely, and the links are part of the network.
     */
    static void thread(String name, Runnable task) {
        Thread.ofPlatform().daemon().name(name).start(task);
    }

    private void accept() {
        while (server.isOpen()) {
            try {
                serveOnThread(server.accept());
            } catch (ClosedChannelException e) {
                return;
            } catch (IOException | RuntimeException | Error e) {
                System.getLogger(Peers.class.getName())
                        .log(System.Logger.Level.WARNING, "a link could not be accepted", e);
                // most likely there is no descriptor or memory left for the moment
                LockSupport.parkNanos(RETRY_ACCEPT_NS);
            }
        }
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
            peer = remotes.computeIfAbsent(instance, id -> new RemotePeer(device, id));
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
                peer.onLinkEnd();
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
