// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.ibv;

import io.verbena.verbs.AccessFlag;
import io.verbena.verbs.Gid;
import io.verbena.verbs.PathMtu;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairAttributes.Attribute;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.QueuePairState;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Writes the settings of a queue pair to {@code ibv_qp_init_attr} and {@code ibv_qp_attr}. */
final class QueuePairLayout {
    /** The initial time to live of a packet; enough hops for any network. */
    private static final int HOP_LIMIT = 64;

    private QueuePairLayout() {}

    static void putInit(
            MemorySegment init, long sendQueue, long receiveQueue, QueuePairOptions options) {
        putInit(
                init,
                sendQueue,
                receiveQueue,
                options.maxSendRequests(),
                options.maxSendElements(),
                options.maxInlineBytes());
        IbvLayout.QP_INIT_MAX_RECV_WR.set(init, options.maxReceiveRequests());
        IbvLayout.QP_INIT_MAX_RECV_SGE.set(init, options.maxReceiveElements());
        IbvLayout.QP_INIT_SQ_SIG_ALL.set(init, options.signalAll() ? 1 : 0);
    }

    /** For a queue pair with only a send queue. */
    static void putInit(
            MemorySegment init,
            long sendQueue,
            long receiveQueue,
            int requests,
            int elements,
            int inlineBytes) {
        IbvLayout.QP_INIT_SEND_CQ.set(init, sendQueue);
        IbvLayout.QP_INIT_RECV_CQ.set(init, receiveQueue);
        IbvLayout.QP_INIT_MAX_SEND_WR.set(init, requests);
        IbvLayout.QP_INIT_MAX_SEND_SGE.set(init, elements);
        IbvLayout.QP_INIT_MAX_INLINE_DATA.set(init, inlineBytes);
        IbvLayout.QP_INIT_QP_TYPE.set(init, IbvLayout.IBV_QPT_RC.value());
    }

    /** {@return the options with the sizes that the driver chose} */
    static QueuePairOptions granted(MemorySegment init, QueuePairOptions asked) {
        return new QueuePairOptions(
                asked.sendQueue(),
                asked.receiveQueue(),
                IbvLayout.QP_INIT_MAX_SEND_WR.getInt(init),
                IbvLayout.QP_INIT_MAX_RECV_WR.getInt(init),
                IbvLayout.QP_INIT_MAX_SEND_SGE.getInt(init),
                IbvLayout.QP_INIT_MAX_RECV_SGE.getInt(init),
                IbvLayout.QP_INIT_MAX_INLINE_DATA.getInt(init),
                asked.signalAll());
    }

    /**
     * Writes every given attribute.
     *
     * @param memory an {@code ibv_qp_attr}
     * @param port the local port the queue pair is bound to, which a path needs
     */
    static void put(MemorySegment memory, QueuePairAttributes attributes, int port) {
        for (Attribute attribute : attributes.given()) {
            put(memory, attributes, attribute, port);
        }
    }

    private static void put(
            MemorySegment memory, QueuePairAttributes from, Attribute attribute, int port) {
        switch (attribute) {
            case STATE -> IbvLayout.QP_ATTR_STATE.set(memory, from.state().code());
            case CURRENT_STATE ->
                    IbvLayout.QP_ATTR_CUR_STATE.set(memory, from.currentState().code());
            case DRAIN_NOTIFICATION ->
                    IbvLayout.QP_ATTR_EN_SQD_ASYNC_NOTIFY.set(
                            memory, from.drainNotification() ? 1 : 0);
            case ACCESS -> IbvLayout.QP_ATTR_ACCESS_FLAGS.set(memory, from.access());
            case PKEY_INDEX -> IbvLayout.QP_ATTR_PKEY_INDEX.set(memory, from.pkeyIndex());
            case PORT -> IbvLayout.QP_ATTR_PORT_NUM.set(memory, from.port());
            case PATH -> putPath(memory, from, port);
            case PATH_MTU -> IbvLayout.QP_ATTR_PATH_MTU.set(memory, from.pathMtu().code());
            case TIMEOUT -> IbvLayout.QP_ATTR_TIMEOUT.set(memory, from.timeout());
            case RETRY_COUNT -> IbvLayout.QP_ATTR_RETRY_CNT.set(memory, from.retryCount());
            case RNR_RETRY -> IbvLayout.QP_ATTR_RNR_RETRY.set(memory, from.rnrRetry());
            case RECEIVE_PSN ->
                    IbvLayout.QP_ATTR_RQ_PSN.set(memory, from.receivePacketSequenceNumber());
            case MAX_READ_ATOMIC ->
                    IbvLayout.QP_ATTR_MAX_RD_ATOMIC.set(memory, from.maxReadAtomic());
            case MIN_RNR_TIMER -> IbvLayout.QP_ATTR_MIN_RNR_TIMER.set(memory, from.minRnrTimer());
            case SEND_PSN -> IbvLayout.QP_ATTR_SQ_PSN.set(memory, from.sendPacketSequenceNumber());
            case MAX_DESTINATION_READ_ATOMIC ->
                    IbvLayout.QP_ATTR_MAX_DEST_RD_ATOMIC.set(
                            memory, from.maxDestinationReadAtomic());
            case DESTINATION -> IbvLayout.QP_ATTR_DEST_QP_NUM.set(memory, from.destination());
        }
    }

    private static void putPath(MemorySegment memory, QueuePairAttributes from, int port) {
        // InfiniBand needs no global route inside a subnet; Ethernet has nothing else.
        boolean isGlobal = !from.destinationGid().equals(Gid.ZERO);
        IbvLayout.QP_ATTR_IS_GLOBAL.set(memory, isGlobal ? 1 : 0);
        putGid(IbvLayout.QP_ATTR_DGID.in(memory), from.destinationGid());
        IbvLayout.QP_ATTR_SGID_INDEX.set(memory, from.sourceGidIndex());
        IbvLayout.QP_ATTR_HOP_LIMIT.set(memory, HOP_LIMIT);
        IbvLayout.QP_ATTR_TRAFFIC_CLASS.set(memory, from.trafficClass());
        IbvLayout.QP_ATTR_DLID.set(memory, from.destinationLid());
        IbvLayout.QP_ATTR_AH_PORT_NUM.set(memory, port);
    }

    /** {@return everything the driver reported, as given attributes} */
    static QueuePairAttributes read(MemorySegment memory) {
        return QueuePairAttributes.to(state(memory))
                .access(flags(IbvLayout.QP_ATTR_ACCESS_FLAGS.getInt(memory)))
                .pkeyIndex(IbvLayout.QP_ATTR_PKEY_INDEX.getInt(memory))
                .port(Math.max(1, IbvLayout.QP_ATTR_PORT_NUM.getInt(memory)))
                .path(
                        gid(IbvLayout.QP_ATTR_DGID.in(memory)),
                        IbvLayout.QP_ATTR_DLID.getInt(memory),
                        IbvLayout.QP_ATTR_SGID_INDEX.getInt(memory))
                .trafficClass(IbvLayout.QP_ATTR_TRAFFIC_CLASS.getInt(memory))
                .pathMtu(PathMtu.of(IbvLayout.QP_ATTR_PATH_MTU.getInt(memory)))
                .timeout(IbvLayout.QP_ATTR_TIMEOUT.getInt(memory))
                .retryCount(IbvLayout.QP_ATTR_RETRY_CNT.getInt(memory))
                .rnrRetry(IbvLayout.QP_ATTR_RNR_RETRY.getInt(memory))
                .receivePacketSequenceNumber(IbvLayout.QP_ATTR_RQ_PSN.getInt(memory))
                .maxReadAtomic(IbvLayout.QP_ATTR_MAX_RD_ATOMIC.getInt(memory))
                .minRnrTimer(IbvLayout.QP_ATTR_MIN_RNR_TIMER.getInt(memory))
                .sendPacketSequenceNumber(IbvLayout.QP_ATTR_SQ_PSN.getInt(memory))
                .maxDestinationReadAtomic(IbvLayout.QP_ATTR_MAX_DEST_RD_ATOMIC.getInt(memory))
                .destination(IbvLayout.QP_ATTR_DEST_QP_NUM.getInt(memory));
    }

    static QueuePairState state(MemorySegment memory) {
        return QueuePairState.of(IbvLayout.QP_ATTR_STATE.getInt(memory));
    }

    private static AccessFlag[] flags(int bits) {
        return AccessFlag.of(bits).toArray(AccessFlag[]::new);
    }

    static Gid gid(MemorySegment bytes) {
        return Gid.of(bytes.toArray(ValueLayout.JAVA_BYTE));
    }

    private static void putGid(MemorySegment bytes, Gid gid) {
        bytes.copyFrom(MemorySegment.ofArray(gid.toBytes()));
    }
}
