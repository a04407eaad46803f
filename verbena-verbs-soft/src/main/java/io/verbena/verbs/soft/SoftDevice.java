// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import io.verbena.verbs.Errno;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.soft.cm.ConnectionManager;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A running software device: one per name and process, from the first open to the end of the
 * process. Owns the shared memory, the keys, the background thread and the links to peers.
 */
final class SoftDevice {
    private static final int BLOCKS_PER_SEGMENT = 128;
    private static final int STAGINGS_PER_SEGMENT = 8;
    private static final int MAX_PENDING = 64;
    private static final int FIRST_NUMBER = 16;
    private static final int NUMBERS = 1 << 24;
    private static final SoftCompletionQueue[] NONE = {};

    private record Pending(AttachMessage message, Peer from) {}

    private final String name;
    private final SoftDirectory directory;
    private final Instance instance;
    private final Segments segments;
    private final MemorySegment control;
    private final Bells bells;
    private final SharedBlocks slabs;
    private final SharedBlocks stagings;
    private final KeyTable<SoftMemoryRegion> localKeys = new KeyTable<>();
    private final KeyTable<SoftMemoryRegion> remoteKeys = new KeyTable<>();
    private final Peers peers;
    private final Background background;
    private final SecureRandom random = new SecureRandom();
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<Integer, QueuePairEngine> pairs = new ConcurrentHashMap<>();
    private final Map<QueuePairEngine, List<Pending>> pending = new ConcurrentHashMap<>();
    private final BitSet areas = new BitSet();
    private volatile SoftCompletionQueue[] completionQueues = NONE;
    private int nextNumber = random.nextInt(NUMBERS);

    private SoftDevice(String name, SoftDirectory directory) {
        this.name = name;
        this.directory = directory;
        sweep(directory);
        this.instance = Instance.claim(directory);
        this.segments = new Segments(directory, instance.id());
        this.control = createControl();
        this.bells = new Bells(control);
        this.slabs = new SharedBlocks(segments, RingLayout.BLOCK_BYTES, BLOCKS_PER_SEGMENT);
        this.stagings = new SharedBlocks(segments, Staging.BYTES, STAGINGS_PER_SEGMENT);
        this.peers = new Peers(this);
        this.background = new Background(this);
    }

    private MemorySegment createControl() {
        try {
            int id = segments.createSparse(ControlLayout.BYTES);
            segments.reserve(id, 0, ControlLayout.AREAS);
            MemorySegment memory = segments.memory(id);
            memory.set(ValueLayout.JAVA_LONG, ControlLayout.MAGIC_OFFSET, ControlLayout.MAGIC);
            return memory;
        } catch (RuntimeException e) {
            // the next attempt starts afresh
            instance.close();
            throw e;
        }
    }

    /** Removes what killed processes have left behind. */
    private static void sweep(SoftDirectory directory) {
        Instance.sweep(directory);
        try {
            ConnectionManager.sweep(directory.path());
        } catch (IOException e) {
            throw new VerbsException(
                    "ibv_open_device", Errno.EIO, directory.path() + " could not be swept", e);
        }
    }

    /** {@return a started device: reachable by peers, with its thread running} */
    static SoftDevice start(String name) {
        if (!SoftDevice.class.getModule().isNativeAccessEnabled() && !RawMemory.isAllowed()) {
            throw new VerbsException(
                    "ibv_open_device",
                    Errno.EPERM,
                    "native access is denied (expected: --enable-native-access=io.verbena.verbs.soft,"
                            + " or ALL-UNNAMED on the class path)");
        }
        SoftDevice device = new SoftDevice(name, SoftDirectory.open());
        try {
            device.peers.listen();
        } catch (RuntimeException e) {
            device.stop();
            throw e;
        }
        Thread.ofPlatform().daemon().name("verbena-" + name).start(device.background);
        Runtime.getRuntime()
                .addShutdownHook(
                        Thread.ofPlatform().name("verbena-close-" + name).unstarted(device::stop));
        return device;
    }

    /** Removes every trace from the shared directory; the process is about to end. */
    private void stop() {
        peers.close();
        instance.close();
    }

    SoftQueuePair createQueuePair(SoftProtectionDomain domain, QueuePairOptions options) {
        lock.lock();
        try {
            if (pairs.size() >= SoftLimits.MAX_QUEUE_PAIRS) {
                throw new VerbsException(
                        "ibv_create_qp",
                        Errno.ENOMEM,
                        "queue pairs: " + pairs.size() + " (expected: fewer)");
            }
            do {
                nextNumber = (nextNumber + 1) % NUMBERS;
            } while (nextNumber < FIRST_NUMBER || pairs.containsKey(nextNumber));
            SoftQueuePair pair = new SoftQueuePair(domain, options, nextNumber);
            try {
                pairs.put(nextNumber, pair.engine());
            } catch (Throwable e) { // nobody else knows it, and its completion queues do
                pair.close();
                throw e;
            }
            return pair;
        } finally {
            lock.unlock();
        }
    }

    SoftCompletionQueue createCompletionQueue(
            SoftDeviceContext context, int depth, SoftCompletionChannel channel) {
        lock.lock();
        try {
            int index = areas.nextClearBit(0);
            if (index >= ControlLayout.MAX_AREAS) {
                throw new VerbsException(
                        "ibv_create_cq",
                        Errno.ENOMEM,
                        "completion queues: " + index + " (expected: fewer)");
            }
            long area = ControlLayout.AREAS + index * ControlLayout.AREA_STRIDE;
            segments.reserve(ControlLayout.SEGMENT_ID, area, ControlLayout.AREA_STRIDE);
            areas.set(index);
            SoftCompletionQueue queue = new SoftCompletionQueue(context, depth, channel, area);
            SoftCompletionQueue[] now = completionQueues;
            SoftCompletionQueue[] changed = Arrays.copyOf(now, now.length + 1);
            changed[now.length] = queue;
            completionQueues = changed;
            return queue;
        } finally {
            lock.unlock();
        }
    }

    void forget(SoftCompletionQueue queue) {
        lock.lock();
        try {
            completionQueues =
                    Arrays.stream(completionQueues)
                            .filter(other -> other != queue)
                            .toArray(SoftCompletionQueue[]::new);
            areas.clear(
                    (int)
                            ((queue.scheduler().area() - ControlLayout.AREAS)
                                    / ControlLayout.AREA_STRIDE));
        } finally {
            lock.unlock();
        }
    }

    void forget(QueuePairEngine pair) {
        pairs.remove(pair.key(), pair);
        pending.remove(pair);
    }

    /**
     * Passes a peer's message to one of our queue pairs; messages for unknown numbers are dropped.
     */
    void onAttach(AttachMessage message, Peer from) {
        QueuePairEngine pair = pairs.get(message.to());
        if (pair != null) {
            pair.onAttach(message, from);
        }
    }

    /** Keeps a message for a queue pair that is not ready yet; called inside its turn. */
    void addPendingAttach(QueuePairEngine pair, AttachMessage message, Peer from) {
        List<Pending> waiting = pending.computeIfAbsent(pair, key -> new ArrayList<>());
        if (waiting.size() < MAX_PENDING) {
            waiting.add(new Pending(message, from));
        }
    }

    /** Hands a queue pair the messages kept for it; called inside its turn. */
    void takePendingAttach(QueuePairEngine pair) {
        List<Pending> waiting = pending.remove(pair);
        if (waiting != null) {
            waiting.forEach(kept -> pair.attachInside(kept.message(), kept.from()));
        }
    }

    /**
     * Waits until no queue pair uses anything it looked up in a key table before this call. After a
     * key was removed, its memory is out of reach when this returns.
     */
    void quiesce() {
        pairs.values().forEach(QueuePairEngine::quiesce);
    }

    /** Runs every queue pair. */
    void runAll() {
        for (QueuePairEngine pair : pairs.values()) {
            pair.run(true);
        }
    }

    /** Runs queue pairs so that they notice something that no frame announces. */
    void runLater(Iterable<QueuePairEngine> affected) {
        // each on its own: the memory of one may be gone, and its failure must not spare the others
        affected.forEach(pair -> runLater(() -> pair.run(true)));
    }

    /** Runs something short on the device's thread. */
    void runLater(Runnable task) {
        background.submit(task);
    }

    void log(SoftQueuePair pair, Throwable cause) {
        System.getLogger(SoftDevice.class.getName())
                .log(System.Logger.Level.WARNING, pair + " failed", cause);
    }

    long nextNonce() {
        return random.nextLong() >>> 3;
    }

    String name() {
        return name;
    }

    long guid() {
        return instance.id();
    }

    long namespace() {
        return directory.namespace();
    }

    SoftDirectory directory() {
        return directory;
    }

    Segments segments() {
        return segments;
    }

    Bells bells() {
        return bells;
    }

    SharedBlocks slabs() {
        return slabs;
    }

    SharedBlocks stagings() {
        return stagings;
    }

    KeyTable<SoftMemoryRegion> localKeys() {
        return localKeys;
    }

    KeyTable<SoftMemoryRegion> remoteKeys() {
        return remoteKeys;
    }

    Peers peers() {
        return peers;
    }

    Background background() {
        return background;
    }

    SoftCompletionQueue[] completionQueues() {
        return completionQueues;
    }
}
