// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import io.verbena.verbs.Errno;
import io.verbena.verbs.VerbsException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Another process (or another device of this one), reached through shared memory. Its segments are
 * mapped when first needed. They are unmapped when it says so, or when it is dead and none of our
 * queue pairs is connected to it any more.
 */
final class RemotePeer implements Peer {
    private static final int MAX_SEGMENTS = 1 << 20;

    private final SoftDevice device;
    private final long instance;
    private final ReentrantLock lock = new ReentrantLock();
    private final Set<QueuePairEngine> pairs = ConcurrentHashMap.newKeySet();

    /** Those that it has opened to us. */
    private final Set<SocketChannel> links = ConcurrentHashMap.newKeySet();

    private final Doubts doubts;
    private final AtomicBoolean isMourned = new AtomicBoolean();
    private volatile PeerSegment[] mappings = {};
    private volatile Bells bells;
    private volatile boolean isDead;
    private volatile LinkOutbox outbox;

    /** See {@link Peers#mourn}. */
    private RemotePeer nextDead;

    RemotePeer(SoftDevice device, long instance) {
        this.device = device;
        this.instance = instance;
        this.doubts = new Doubts(device::nextNonce, this::ask);
    }

    long instance() {
        return instance;
    }

    @Override
    public boolean isLocal() {
        return false;
    }

    @Override
    public boolean isAlive() {
        return !isDead;
    }

    /** Opens our link to it, if there is none yet, and maps its bells. */
    void connect() throws IOException {
        lock.lock();
        try {
            if (isDead) {
                throw new IOException("the process is gone");
            }
            if (outbox != null) {
                return;
            }
            LinkOutbox writer = new LinkOutbox(this::openLink);
            try {
                use(writer);
            } finally {
                // or its watch has ended already, before anybody else could have closed it
                if (outbox == null || isDead) {
                    writer.close();
                }
            }
        } finally {
            lock.unlock();
        }
    }

    private SocketChannel openLink() throws IOException {
        SocketChannel link =
                SocketChannel.open(UnixDomainSocketAddress.of(device.directory().socket(instance)));
        try {
            LinkOutbox.write(link, LinkCodec.hello(device.guid()));
            return link;
        } catch (Throwable e) { // nobody else would close it
            link.close();
            throw e;
        }
    }

    private void use(LinkOutbox writer) throws IOException {
        bells =
                slab(ControlLayout.SEGMENT_ID)
                        .filter(RemotePeer::isControlSegment)
                        .map(Bells::new)
                        .orElseThrow(() -> new IOException("the control segment is invalid"));
        Peers.thread("verbena-watch", () -> watch(writer));
        Peers.thread("verbena-link-out", () -> writeAll(writer));
        outbox = writer;
    }

    /**
     * It has opened a link to us.
     *
     * @throws IOException if it is dead: it must open another link, for its successor here
     */
    void addLink(SocketChannel link) throws IOException {
        links.add(link);
        if (isDead) {
            throw new IOException("the process was taken for dead");
        }
    }

    private static boolean isControlSegment(MemorySegment memory) {
        if (memory.byteSize() < ControlLayout.BYTES) {
            return false;
        }
        try {
            long magic = memory.get(ValueLayout.JAVA_LONG, ControlLayout.MAGIC_OFFSET);
            MemoryFault.surface();
            return magic == ControlLayout.MAGIC;
        } catch (InternalError e) {
            // cut off since it was mapped
            return false;
        }
    }

    private void watch(LinkOutbox own) {
        try {
            own.watch();
        } catch (IOException e) {
            System.getLogger(RemotePeer.class.getName())
                    .log(System.Logger.Level.DEBUG, "a link ended", e);
        } finally {
            die();
        }
    }

    /**
     * A link that was opened to us has ended. That proves nothing, because anybody may have opened
     * it under any name; only the link we opened ourselves does, if there is one.
     */
    void onLinkEnd(SocketChannel link) {
        links.remove(link);
        boolean isUnknown;
        lock.lock();
        try {
            // unless it has opened another one instead
            isUnknown = outbox == null && links.isEmpty();
        } finally {
            lock.unlock();
        }
        if (isUnknown) {
            die();
        }
    }

    /** Marks it as dead; every queue pair connected to it then fails on its own. */
    void die() {
        isDead = true;
        // first: whatever is not done here, for want of memory, is done later
        if (isMourned.compareAndSet(false, true)) {
            device.peers().mourn(this);
        }
        hangUp();
        device.peers().forget(this);
        device.runLater(pairs);
        unmapIfUnused();
    }

    /**
     * Does again what {@link #die} does, each step of which can be repeated. The device's thread.
     *
     * @return whether nothing is left to do
     */
    boolean bury() {
        hangUp();
        device.peers().forget(this);
        boolean isBuried = true;
        for (QueuePairEngine pair : pairs) {
            if (!pair.isFailed()) {
                pair.run(true);
                isBuried &= pair.isFailed();
            }
        }
        unmapIfUnused();
        return isBuried;
    }

    /** Closes the links in both directions, or the living process would go on using its own. */
    private void hangUp() {
        LinkOutbox opened = outbox;
        try {
            if (opened != null) {
                opened.close();
            }
            for (SocketChannel link : links) {
                link.close();
            }
        } catch (IOException e) {
            System.getLogger(RemotePeer.class.getName())
                    .log(System.Logger.Level.DEBUG, "a link could not be closed", e);
        }
    }

    RemotePeer nextDead() {
        return nextDead;
    }

    void nextDead(RemotePeer next) {
        nextDead = next;
    }

    @Override
    public Bells bells() {
        return bells;
    }

    @Override
    public void attach(AttachMessage message) {
        send(LinkCodec.attach(message));
        if (isDead) {
            throw new VerbsException(
                    "ibv_modify_qp", Errno.EHOSTUNREACH, "the peer's process is gone");
        }
    }

    void freed(int segment) {
        send(LinkCodec.freed(segment));
    }

    /** Never waits for the peer: whoever sends may hold a lock, or be in a turn. */
    private void send(ByteBuffer message) {
        LinkOutbox to = outbox;
        if (to != null && !to.offer(message)) {
            System.getLogger(RemotePeer.class.getName())
                    .log(
                            System.Logger.Level.WARNING,
                            "a peer has left {0} messages unread: its connections end",
                            LinkOutbox.MOST);
            die();
        }
    }

    private void writeAll(LinkOutbox writer) {
        try {
            writer.writeAll();
        } catch (IOException | InterruptedException e) {
            System.getLogger(RemotePeer.class.getName())
                    .log(System.Logger.Level.DEBUG, "a link ended", e);
        } finally {
            die();
        }
    }

    void onAttach(AttachMessage message) throws IOException {
        connect();
        device.onAttach(message, this);
    }

    @Override
    public void doubt(QueuePairEngine pair, long nonce) {
        doubts.add(pair, nonce);
    }

    private void ask(long token) {
        send(LinkCodec.question(token));
    }

    /** Everything sent earlier on the link has been processed by now. */
    void onQuestion(long token) throws IOException {
        connect();
        send(LinkCodec.answer(token));
    }

    void onAnswer(long token) {
        doubts.onAnswer(token);
    }

    @Override
    public boolean resolve(int id, long offset, int length, boolean write, MemorySlice slice) {
        MemorySegment segment = find(id);
        if (segment == null || offset < 0 || length < 0 || offset > segment.byteSize() - length) {
            return false;
        }
        slice.set(segment, offset);
        return true;
    }

    /** A segment that holds one of our rings stays mapped, whatever the peer says. */
    @Override
    public Optional<MemorySegment> slab(int id) {
        return Optional.ofNullable(map(id, true));
    }

    /** {@return a segment of the peer, mapped on first use, or null if it cannot be mapped} */
    private MemorySegment find(int id) {
        PeerSegment[] known = mappings;
        if (id >= 0 && id < known.length && known[id] != null) {
            return known[id].memory();
        }
        return map(id, false);
    }

    /** {@return the mapped segment, or null if it cannot be mapped} */
    private MemorySegment map(int id, boolean isPinned) {
        if (id < 0 || id >= MAX_SEGMENTS) {
            return null;
        }
        Path file = device.directory().segment(instance, id);
        lock.lock();
        try {
            PeerSegment known = id < mappings.length ? mappings[id] : null;
            PeerSegment segment = known == null ? PeerSegment.map(file, isPinned) : known;
            if (isPinned) {
                segment = segment.pinned(file);
            }
            // not in place: readers may hold the array
            PeerSegment[] changed = Arrays.copyOf(mappings, Math.max(mappings.length, id + 16));
            changed[id] = segment;
            mappings = changed;
            return segment.memory();
        } catch (IOException e) {
            return null;
        } finally {
            lock.unlock();
        }
    }

    /** The peer has removed a segment; a copy from it that is under way fails cleanly. */
    void onFreed(int id) {
        PeerSegment gone = null;
        lock.lock();
        try {
            PeerSegment[] known = mappings;
            if (id >= 0 && id < known.length && known[id] != null && !known[id].isPinned()) {
                gone = known[id];
                PeerSegment[] changed = known.clone();
                changed[id] = null;
                mappings = changed;
            }
        } finally {
            lock.unlock();
        }
        if (gone != null) {
            gone.close();
        }
    }

    /**
     * Declares it dead if it has cut off memory that bells or rings are in. A queue pair may not
     * notice: compiled code goes on after such a fault, with whatever the register held.
     */
    void checkMemory() {
        for (PeerSegment segment : mappings) {
            if (segment != null && segment.isCut()) {
                System.getLogger(RemotePeer.class.getName())
                        .log(
                                System.Logger.Level.WARNING,
                                "a peer has cut off its shared memory: its connections end");
                die();
                return;
            }
        }
    }

    @Override
    public void join(QueuePairEngine pair) {
        pairs.add(pair);
        if (isDead) {
            device.runLater(Set.of(pair));
        }
    }

    @Override
    public void leave(QueuePairEngine pair) {
        pairs.remove(pair);
        unmapIfUnused();
    }

    private void unmapIfUnused() {
        if (!isDead || !pairs.isEmpty()) {
            return;
        }
        PeerSegment[] gone;
        lock.lock();
        try {
            gone = mappings;
            mappings = new PeerSegment[0];
        } finally {
            lock.unlock();
        }
        for (PeerSegment segment : gone) {
            if (segment != null) {
                segment.close();
            }
        }
    }
}
