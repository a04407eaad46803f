// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import io.verbena.verbs.Errno;
import io.verbena.verbs.VerbsException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Another process (or another device of this one), reached through shared memory. Its segments are
 * mapped when first needed. They are unmapped when it says so, or when it is dead and none of our
 * queue pairs is connected to it any more.
 */
final class RemotePeer implements Peer {
    private static final int MAX_SEGMENTS = 1 << 20;

    private record Mapping(MemorySegment memory, Arena arena, boolean isPinned) {
        Mapping pinned() {
            return new Mapping(memory, arena, true);
        }
    }

    private final SoftDevice device;
    private final long instance;
    private final ReentrantLock lock = new ReentrantLock();
    private final ReentrantLock sending = new ReentrantLock();
    private final Set<QueuePairEngine> pairs = ConcurrentHashMap.newKeySet();
    private final Doubts doubts;
    private volatile Mapping[] mappings = {};
    private volatile Bells bells;
    private volatile boolean isDead;
    private volatile SocketChannel link;

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
            if (link != null) {
                return;
            }
            SocketChannel opened =
                    SocketChannel.open(
                            UnixDomainSocketAddress.of(device.directory().socket(instance)));
            write(opened, LinkCodec.hello(device.guid()));
            Optional<MemorySegment> control =
                    slab(ControlLayout.SEGMENT_ID).filter(RemotePeer::isControlSegment);
            if (control.isEmpty()) {
                opened.close();
                throw new IOException("the control segment is invalid");
            }
            bells = new Bells(control.get());
            link = opened;
            Peers.thread("verbena-watch", () -> watch(opened));
        } finally {
            lock.unlock();
        }
    }

    private static boolean isControlSegment(MemorySegment memory) {
        return memory.byteSize() >= ControlLayout.BYTES
                && memory.get(ValueLayout.JAVA_LONG, ControlLayout.MAGIC_OFFSET)
                        == ControlLayout.MAGIC;
    }

    /** The peer never writes on our own link: the only thing to read is its end. */
    private void watch(SocketChannel opened) {
        try (opened) {
            ByteBuffer nothing = ByteBuffer.allocate(1);
            while (opened.read(nothing) >= 0) {
                nothing.clear();
            }
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
    void onLinkEnd() {
        boolean isUnknown;
        lock.lock();
        try {
            isUnknown = link == null;
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
        device.peers().forget(this);
        device.runLater(pairs);
        unmapIfUnused();
    }

    @Override
    public Bells bells() {
        return bells;
    }

    @Override
    public void attach(AttachMessage message) {
        try {
            send(LinkCodec.attach(message));
        } catch (IOException e) {
            die();
            throw new VerbsException(
                    "ibv_modify_qp", Errno.EHOSTUNREACH, "the peer's process is gone", e);
        }
    }

    void freed(int segment) {
        try {
            send(LinkCodec.freed(segment));
        } catch (IOException e) {
            die();
        }
    }

    private void send(ByteBuffer message) throws IOException {
        SocketChannel to = link;
        if (to == null) {
            return;
        }
        // a separate lock: a peer that does not read must not keep other threads from mapping its
        // memory
        sending.lock();
        try {
            write(to, message);
        } finally {
            sending.unlock();
        }
    }

    private static void write(SocketChannel channel, ByteBuffer message) throws IOException {
        while (message.hasRemaining()) {
            channel.write(message);
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
        try {
            send(LinkCodec.question(token));
        } catch (IOException e) {
            die();
        }
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
        lock.lock();
        try {
            MemorySegment memory = map(id);
            if (memory != null) {
                // not in place: readers may hold the array
                Mapping[] changed = mappings.clone();
                changed[id] = changed[id].pinned();
                mappings = changed;
            }
            return Optional.ofNullable(memory);
        } finally {
            lock.unlock();
        }
    }

    /** {@return a segment of the peer, mapped on first use, or null if it cannot be mapped} */
    private MemorySegment find(int id) {
        Mapping[] known = mappings;
        if (id >= 0 && id < known.length && known[id] != null) {
            return known[id].memory();
        }
        return map(id);
    }

    /** {@return the mapped segment, or null if it cannot be mapped} */
    private MemorySegment map(int id) {
        if (id < 0 || id >= MAX_SEGMENTS) {
            return null;
        }
        lock.lock();
        try {
            Mapping[] known = mappings;
            if (id < known.length && known[id] != null) {
                return known[id].memory();
            }
            Arena arena = Arena.ofShared();
            MemorySegment memory;
            try {
                memory = SharedMemory.map(device.directory().segment(instance, id), arena);
            } catch (IOException e) {
                arena.close();
                return null;
            }
            Mapping[] changed = Arrays.copyOf(known, Math.max(known.length, id + 16));
            changed[id] = new Mapping(memory, arena, false);
            mappings = changed;
            return memory;
        } finally {
            lock.unlock();
        }
    }

    /** The peer has removed a segment; a copy from it that is under way fails cleanly. */
    void onFreed(int id) {
        Mapping gone = null;
        lock.lock();
        try {
            Mapping[] known = mappings;
            if (id >= 0 && id < known.length && known[id] != null && !known[id].isPinned()) {
                gone = known[id];
                Mapping[] changed = known.clone();
                changed[id] = null;
                mappings = changed;
            }
        } finally {
            lock.unlock();
        }
        if (gone != null) {
            gone.arena().close();
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
        Mapping[] gone;
        lock.lock();
        try {
            gone = mappings;
            mappings = new Mapping[0];
        } finally {
            lock.unlock();
        }
        for (Mapping mapping : gone) {
            if (mapping != null) {
                mapping.arena().close();
            }
        }
    }
}
