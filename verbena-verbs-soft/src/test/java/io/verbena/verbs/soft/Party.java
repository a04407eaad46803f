// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import io.verbena.verbs.AccessFlag;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.ConnectionSettings;
import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.Gid;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairAddress;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.ReceiveWorkRequest;
import io.verbena.verbs.SendOpcode;
import io.verbena.verbs.SendWorkRequest;
import io.verbena.verbs.WorkCompletion;
import java.lang.foreign.Arena;
import java.util.Locale;

/**
 * One end of a connection for tests with several processes. It needs only the device, and describes
 * itself to its peer in a line of text. Used by one thread.
 */
final class Party implements AutoCloseable {
    static final AccessFlag[] ALL = {
        AccessFlag.LOCAL_WRITE,
        AccessFlag.REMOTE_READ,
        AccessFlag.REMOTE_WRITE,
        AccessFlag.REMOTE_ATOMIC
    };
    static final ConnectionSettings SETTINGS =
            ConnectionSettings.of(ALL).withReadAtomic(16, 16).withRetries(7, 7, 1);

    final DeviceContext context;
    final ProtectionDomain domain;
    final CompletionQueue queue;
    final MemoryRegion region;
    final QueuePair pair;
    final WorkCompletion cursor;
    private final Arena arena = Arena.ofShared();
    private final SendWorkRequest send;
    private final ReceiveWorkRequest receive;
    private long remoteAddress;
    private int remoteKey;

    Party(String device, long regionBytes, boolean isShared, int requests) {
        context =
                new SoftProvider()
                        .devices().stream()
                                .filter(candidate -> candidate.name().equals(device))
                                .findFirst()
                                .orElseThrow()
                                .open();
        domain = context.allocateProtectionDomain();
        queue = context.createCompletionQueue(4 * requests);
        region =
                isShared
                        ? domain.allocate(regionBytes, ALL)
                        : domain.register(arena.allocate(regionBytes, 64), ALL);
        pair = domain.createQueuePair(QueuePairOptions.of(queue).withRequests(requests, requests));
        cursor = WorkCompletion.allocate(arena, 1);
        send = SendWorkRequest.allocate(arena, 1);
        receive = ReceiveWorkRequest.allocate(arena, 1);
    }

    /** {@return the address to pass to {@link #connect} on the other end} */
    String address() {
        Gid gid = context.queryGids(1).getFirst().gid();
        return String.format(
                Locale.ROOT,
                "%d %d %d %d %d",
                gid.high(),
                gid.low(),
                pair.number(),
                region.address(),
                region.rkey());
    }

    /** {@return the instance an address belongs to} */
    static long instance(String address) {
        return Long.parseLong(address.split(" ", -1)[1]);
    }

    void toInit() {
        pair.modify(QueuePairAttributes.to(QueuePairState.INIT).pkeyIndex(0).port(1).access(ALL));
    }

    /** Goes from INIT to READY_TO_SEND. */
    void connect(String address) {
        String[] words = address.split(" ", -1);
        remoteAddress = Long.parseLong(words[3]);
        remoteKey = Integer.parseInt(words[4]);
        Gid gid = new Gid(Long.parseLong(words[0]), Long.parseLong(words[1]));
        pair.connect(new QueuePairAddress(gid, 0, Integer.parseInt(words[2]), 0), SETTINGS);
    }

    /** {@return whether the request was taken} */
    boolean post(SendOpcode opcode, long id, long offset, int length, long remoteOffset) {
        send.opcode(opcode)
                .id(id)
                .flags(SendWorkRequest.SIGNALED)
                .immediate((int) id)
                .remote(remoteAddress + remoteOffset, remoteKey)
                .elementCount(0)
                .element(region, offset, length);
        return pair.postSend(send) == 1;
    }

    /** {@return whether the request was taken} Adds one. */
    boolean postAdd(long id, long offset, long remoteOffset) {
        send.opcode(SendOpcode.FETCH_AND_ADD)
                .id(id)
                .flags(SendWorkRequest.SIGNALED)
                .fetchAndAdd(remoteAddress + remoteOffset, remoteKey, 1)
                .elementCount(0)
                .element(region, offset, Long.BYTES);
        return pair.postSend(send) == 1;
    }

    /** {@return whether the request was taken} */
    boolean postSwap(long id, long offset, long remoteOffset, long from, long to) {
        send.opcode(SendOpcode.COMPARE_AND_SWAP)
                .id(id)
                .flags(SendWorkRequest.SIGNALED)
                .compareAndSwap(remoteAddress + remoteOffset, remoteKey, from, to)
                .elementCount(0)
                .element(region, offset, Long.BYTES);
        return pair.postSend(send) == 1;
    }

    /** {@return whether the receive was taken} */
    boolean postReceive(long id, long offset, int length) {
        receive.id(id).elementCount(0).element(region, offset, length);
        return pair.postReceive(receive) == 1;
    }

    /** {@return whether {@link #cursor} holds a completion now} */
    boolean poll() {
        return queue.poll(cursor) == 1;
    }

    @Override
    public void close() {
        pair.close();
        region.close();
        queue.close();
        domain.close();
        context.close();
        arena.close();
    }
}
