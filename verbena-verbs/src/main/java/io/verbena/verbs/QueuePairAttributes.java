// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs;

import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;

/**
 * Settings of a queue pair, each of which may be given or not; {@code ibv_qp_attr} with its mask.
 * Every setter marks its attribute as given. Values are checked when they are set; {@link
 * QueuePair#modify} checks whether a transition allows or requires them.
 */
public final class QueuePairAttributes {
    /** The attributes, in the order of their bits in {@code ibv_qp_attr_mask}. */
    public enum Attribute {
        /** {@code IBV_QP_STATE}. */
        STATE(0),
        /** {@code IBV_QP_CUR_STATE}. */
        CURRENT_STATE(1),
        /** {@code IBV_QP_EN_SQD_ASYNC_NOTIFY}. */
        DRAIN_NOTIFICATION(2),
        /** {@code IBV_QP_ACCESS_FLAGS}. */
        ACCESS(3),
        /** {@code IBV_QP_PKEY_INDEX}. */
        PKEY_INDEX(4),
        /** {@code IBV_QP_PORT}. */
        PORT(5),
        /** {@code IBV_QP_AV}. */
        PATH(7),
        /** {@code IBV_QP_PATH_MTU}. */
        PATH_MTU(8),
        /** {@code IBV_QP_TIMEOUT}. */
        TIMEOUT(9),
        /** {@code IBV_QP_RETRY_CNT}. */
        RETRY_COUNT(10),
        /** {@code IBV_QP_RNR_RETRY}. */
        RNR_RETRY(11),
        /** {@code IBV_QP_RQ_PSN}. */
        RECEIVE_PSN(12),
        /** {@code IBV_QP_MAX_QP_RD_ATOMIC}. */
        MAX_READ_ATOMIC(13),
        /** {@code IBV_QP_MIN_RNR_TIMER}. */
        MIN_RNR_TIMER(15),
        /** {@code IBV_QP_SQ_PSN}. */
        SEND_PSN(16),
        /** {@code IBV_QP_MAX_DEST_RD_ATOMIC}. */
        MAX_DESTINATION_READ_ATOMIC(17),
        /** {@code IBV_QP_DEST_QPN}. */
        DESTINATION(20);

        private final int position;

        Attribute(int position) {
            this.position = position;
        }

        /** {@return the bit libibverbs uses} */
        public int bit() {
            return 1 << position;
        }
    }

    private final EnumSet<Attribute> given = EnumSet.noneOf(Attribute.class);
    private QueuePairState state = QueuePairState.RESET;
    private QueuePairState currentState = QueuePairState.RESET;
    private boolean drainNotification;
    private int access;
    private Gid destinationGid = Gid.ZERO;
    private int destinationLid;
    private int sourceGidIndex;
    private int trafficClass;
    private int pkeyIndex;
    private int port;
    private PathMtu pathMtu = PathMtu.MTU_256;
    private int timeout;
    private int retryCount;
    private int rnrRetry;
    private int receivePacketSequenceNumber;
    private int maxReadAtomic;
    private int minRnrTimer;
    private int sendPacketSequenceNumber;
    private int maxDestinationReadAtomic;
    private int destination;

    private QueuePairAttributes() {}

    /**
     * {@return attributes that change the state}
     *
     * @param state the state to go to
     */
    public static QueuePairAttributes to(QueuePairState state) {
        QueuePairAttributes attributes = new QueuePairAttributes();
        attributes.state = Objects.requireNonNull(state, "state");
        attributes.given.add(Attribute.STATE);
        return attributes;
    }

    /** {@return attributes that leave the state unchanged} */
    public static QueuePairAttributes unchanged() {
        return new QueuePairAttributes();
    }

    /** {@return which attributes were given} */
    public Set<Attribute> given() {
        return EnumSet.copyOf(given);
    }

    /** {@return the given attributes as libibverbs' mask} */
    public int mask() {
        int mask = 0;
        for (Attribute attribute : given) {
            mask |= attribute.bit();
        }
        return mask;
    }

    /**
     * Copies every attribute given in another set over this one.
     *
     * @param other the newer values
     * @return this
     */
    public QueuePairAttributes merge(QueuePairAttributes other) {
        for (Attribute attribute : other.given) {
            mergeOne(attribute, other);
        }
        return this;
    }

    private void mergeOne(Attribute attribute, QueuePairAttributes other) {
        given.add(attribute);
        switch (attribute) {
            case STATE -> state = other.state;
            case CURRENT_STATE -> currentState = other.currentState;
            case DRAIN_NOTIFICATION -> drainNotification = other.drainNotification;
            case ACCESS -> access = other.access;
            case PATH -> {
                destinationGid = other.destinationGid;
                destinationLid = other.destinationLid;
                sourceGidIndex = other.sourceGidIndex;
                trafficClass = other.trafficClass;
            }
            case PKEY_INDEX -> pkeyIndex = other.pkeyIndex;
            case PORT -> port = other.port;
            case PATH_MTU -> pathMtu = other.pathMtu;
            case TIMEOUT -> timeout = other.timeout;
            case RETRY_COUNT -> retryCount = other.retryCount;
            case RNR_RETRY -> rnrRetry = other.rnrRetry;
            case RECEIVE_PSN -> receivePacketSequenceNumber = other.receivePacketSequenceNumber;
            case MAX_READ_ATOMIC -> maxReadAtomic = other.maxReadAtomic;
            case MIN_RNR_TIMER -> minRnrTimer = other.minRnrTimer;
            case SEND_PSN -> sendPacketSequenceNumber = other.sendPacketSequenceNumber;
            case MAX_DESTINATION_READ_ATOMIC ->
                    maxDestinationReadAtomic = other.maxDestinationReadAtomic;
            case DESTINATION -> destination = other.destination;
        }
    }

    /** {@return the state to go to, or the state at the time of a query} */
    public QueuePairState state() {
        return state;
    }

    /**
     * Sets the state the caller believes the queue pair is in.
     *
     * @param value the believed state
     * @return this
     */
    public QueuePairAttributes currentState(QueuePairState value) {
        currentState = Objects.requireNonNull(value, "currentState");
        return give(Attribute.CURRENT_STATE);
    }

    /** {@return the state the caller believes the queue pair is in} */
    public QueuePairState currentState() {
        return currentState;
    }

    /**
     * Asks for an asynchronous event when the send queue is drained.
     *
     * @param value whether to send one
     * @return this
     */
    public QueuePairAttributes drainNotification(boolean value) {
        drainNotification = value;
        return give(Attribute.DRAIN_NOTIFICATION);
    }

    /** {@return whether an event is sent when the send queue is drained} */
    public boolean drainNotification() {
        return drainNotification;
    }

    /**
     * Sets what the peer may do.
     *
     * @param flags the operations it may use
     * @return this
     */
    public QueuePairAttributes access(AccessFlag... flags) {
        access = AccessFlag.bits(flags);
        return give(Attribute.ACCESS);
    }

    /** {@return what the peer may do, as bits of {@link AccessFlag}} */
    public int access() {
        return access;
    }

    /**
     * Sets the address of the peer's port.
     *
     * @param gid its global identifier
     * @param lid its local identifier; 0 where there is none
     * @param gidIndex which of the local port's global identifiers to send from
     * @return this
     */
    public QueuePairAttributes path(Gid gid, int lid, int gidIndex) {
        destinationGid = Objects.requireNonNull(gid, "gid");
        destinationLid = lid;
        sourceGidIndex = check("gidIndex", gidIndex, 0, 255);
        return give(Attribute.PATH);
    }

    /**
     * Sets the traffic class of the path; call {@link #path} too.
     *
     * @param value 0 to 255; on RoCE v2 the type of service of the packets: the DSCP times four
     * @return this
     */
    public QueuePairAttributes trafficClass(int value) {
        trafficClass = check("trafficClass", value, 0, 255);
        return this;
    }

    /** {@return the traffic class of the path} */
    public int trafficClass() {
        return trafficClass;
    }

    /** {@return the peer's global identifier} */
    public Gid destinationGid() {
        return destinationGid;
    }

    /** {@return the peer's local identifier} */
    public int destinationLid() {
        return destinationLid;
    }

    /** {@return which of the local port's global identifiers is used} */
    public int sourceGidIndex() {
        return sourceGidIndex;
    }

    /**
     * Sets the index of the partition key.
     *
     * @param value the new value
     * @return this
     */
    public QueuePairAttributes pkeyIndex(int value) {
        pkeyIndex = check("pkeyIndex", value, 0, 65535);
        return give(Attribute.PKEY_INDEX);
    }

    /** {@return the index of the partition key} */
    public int pkeyIndex() {
        return pkeyIndex;
    }

    /**
     * Sets the local port, from 1.
     *
     * @param value the new value
     * @return this
     */
    public QueuePairAttributes port(int value) {
        port = check("port", value, 1, 255);
        return give(Attribute.PORT);
    }

    /** {@return the local port, from 1} */
    public int port() {
        return port;
    }

    /**
     * Sets the path MTU.
     *
     * @param value the new value
     * @return this
     */
    public QueuePairAttributes pathMtu(PathMtu value) {
        pathMtu = Objects.requireNonNull(value, "pathMtu");
        return give(Attribute.PATH_MTU);
    }

    /** {@return the path MTU} */
    public PathMtu pathMtu() {
        return pathMtu;
    }

    /**
     * Sets the retransmission timeout code: 4.096 µs times two to this power; 0 means forever.
     *
     * @param value the new value
     * @return this
     */
    public QueuePairAttributes timeout(int value) {
        timeout = check("timeout", value, 0, 31);
        return give(Attribute.TIMEOUT);
    }

    /**
     * {@return the retransmission timeout code: 4.096 µs times two to this power; 0 means forever}
     */
    public int timeout() {
        return timeout;
    }

    /**
     * Sets how many times to retry when the peer does not answer.
     *
     * @param value the new value
     * @return this
     */
    public QueuePairAttributes retryCount(int value) {
        retryCount = check("retryCount", value, 0, 7);
        return give(Attribute.RETRY_COUNT);
    }

    /** {@return how many times to retry when the peer does not answer} */
    public int retryCount() {
        return retryCount;
    }

    /**
     * Sets how many times to retry when the peer has no receive posted; 7 means forever.
     *
     * @param value the new value
     * @return this
     */
    public QueuePairAttributes rnrRetry(int value) {
        rnrRetry = check("rnrRetry", value, 0, 7);
        return give(Attribute.RNR_RETRY);
    }

    /** {@return how many times to retry when the peer has no receive posted; 7 means forever} */
    public int rnrRetry() {
        return rnrRetry;
    }

    /**
     * Sets the first sequence number to expect.
     *
     * @param value the new value
     * @return this
     */
    public QueuePairAttributes receivePacketSequenceNumber(int value) {
        receivePacketSequenceNumber = check("receivePacketSequenceNumber", value, 0, 0xffffff);
        return give(Attribute.RECEIVE_PSN);
    }

    /** {@return the first sequence number to expect} */
    public int receivePacketSequenceNumber() {
        return receivePacketSequenceNumber;
    }

    /**
     * Sets the most reads and atomics started at once.
     *
     * @param value the new value
     * @return this
     */
    public QueuePairAttributes maxReadAtomic(int value) {
        maxReadAtomic = check("maxReadAtomic", value, 0, 255);
        return give(Attribute.MAX_READ_ATOMIC);
    }

    /** {@return the most reads and atomics started at once} */
    public int maxReadAtomic() {
        return maxReadAtomic;
    }

    /**
     * Sets the code for how long a peer must wait when no receive is posted.
     *
     * @param value the new value
     * @return this
     */
    public QueuePairAttributes minRnrTimer(int value) {
        minRnrTimer = check("minRnrTimer", value, 0, 31);
        return give(Attribute.MIN_RNR_TIMER);
    }

    /** {@return the code for how long a peer must wait when no receive is posted} */
    public int minRnrTimer() {
        return minRnrTimer;
    }

    /**
     * Sets the first sequence number to send.
     *
     * @param value the new value
     * @return this
     */
    public QueuePairAttributes sendPacketSequenceNumber(int value) {
        sendPacketSequenceNumber = check("sendPacketSequenceNumber", value, 0, 0xffffff);
        return give(Attribute.SEND_PSN);
    }

    /** {@return the first sequence number to send} */
    public int sendPacketSequenceNumber() {
        return sendPacketSequenceNumber;
    }

    /**
     * Sets the most reads and atomics answered at once.
     *
     * @param value the new value
     * @return this
     */
    public QueuePairAttributes maxDestinationReadAtomic(int value) {
        maxDestinationReadAtomic = check("maxDestinationReadAtomic", value, 0, 255);
        return give(Attribute.MAX_DESTINATION_READ_ATOMIC);
    }

    /** {@return the most reads and atomics answered at once} */
    public int maxDestinationReadAtomic() {
        return maxDestinationReadAtomic;
    }

    /**
     * Sets the peer's queue pair number.
     *
     * @param value the new value
     * @return this
     */
    public QueuePairAttributes destination(int value) {
        destination = check("destination", value, 0, 0xffffff);
        return give(Attribute.DESTINATION);
    }

    /** {@return the peer's queue pair number} */
    public int destination() {
        return destination;
    }

    private QueuePairAttributes give(Attribute attribute) {
        given.add(attribute);
        return this;
    }

    private static int check(String name, int value, int low, int high) {
        if (value < low || value > high) {
            throw new IllegalArgumentException(
                    name + ": " + value + " (expected: " + low + ".." + high + ")");
        }
        return value;
    }
}
