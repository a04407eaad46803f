// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.ibv;

import io.verbena.verbs.ConnectionEventType;
import io.verbena.verbs.ConnectionParameters;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A copy of an {@code rdma_cm_event}.
 *
 * @param type what happened
 * @param key the key of the identifier it is for; the listener's for a CONNECT_REQUEST
 * @param identifier the address of the {@code rdma_cm_id} it is for; the new one for a
 *     CONNECT_REQUEST
 * @param status 0, a negative error number, or the reason for a rejection
 * @param parameters what the peer sent; librdmacm reports it from this side's point of view
 * @param path the addresses and the device of the identifier
 */
record CmEvent(
        ConnectionEventType type,
        long key,
        long identifier,
        int status,
        ConnectionParameters parameters,
        CmPath path) {
    private static final int MAX_RETRIES = 7;

    /** {@return a copy of an event, which is not acknowledged yet} */
    static CmEvent copy(long address) {
        MemorySegment event = RdmacmLayout.EVENT.at(address);
        ConnectionEventType type = ConnectionEventType.of(RdmacmLayout.EVENT_TYPE.getInt(event));
        long identifier = RdmacmLayout.EVENT_ID.get(event);
        long owner =
                type == ConnectionEventType.CONNECT_REQUEST
                        ? RdmacmLayout.EVENT_LISTEN_ID.get(event)
                        : identifier;
        return new CmEvent(
                type,
                RdmacmLayout.CM_ID_CONTEXT.get(RdmacmLayout.CM_ID.at(owner)),
                identifier,
                RdmacmLayout.EVENT_STATUS.getInt(event),
                hasParameters(type)
                        ? parameters(RdmacmLayout.EVENT_CONNECTION.in(event))
                        : ConnectionParameters.ZERO,
                CmPath.of(identifier));
    }

    /** Other event types leave them undefined, or hold nothing there that an application sent. */
    private static boolean hasParameters(ConnectionEventType type) {
        return type == ConnectionEventType.CONNECT_REQUEST
                || type == ConnectionEventType.CONNECT_RESPONSE
                || type == ConnectionEventType.REJECTED;
    }

    private static ConnectionParameters parameters(MemorySegment param) {
        return new ConnectionParameters(
                privateData(param),
                RdmacmLayout.PARAM_RESPONDER_RESOURCES.getInt(param),
                RdmacmLayout.PARAM_INITIATOR_DEPTH.getInt(param),
                Math.min(RdmacmLayout.PARAM_RETRY_COUNT.getInt(param), MAX_RETRIES),
                Math.min(RdmacmLayout.PARAM_RNR_RETRY_COUNT.getInt(param), MAX_RETRIES));
    }

    private static byte[] privateData(MemorySegment param) {
        long length = RdmacmLayout.PARAM_PRIVATE_DATA_LEN.get(param);
        long address = RdmacmLayout.PARAM_PRIVATE_DATA.get(param);
        return length == 0 || address == 0
                ? new byte[0]
                : CStruct.memory(address, length).toArray(ValueLayout.JAVA_BYTE);
    }
}
