// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.ibv;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.verbs.ConnectionEventType;
import io.verbena.verbs.ConnectionParameters;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class CmEventTest {
    private static final long LISTENER_KEY = 41;
    private static final long KEY = 42;

    private final NativeCall call = NativeCall.begin();
    private final MemorySegment event = call.allocate(RdmacmLayout.EVENT);
    private final MemorySegment id = call.allocate(RdmacmLayout.CM_ID);
    private final MemorySegment param = RdmacmLayout.EVENT_CONNECTION.in(event);

    @BeforeEach
    void fill() {
        RdmacmLayout.EVENT_ID.set(event, id.address());
        RdmacmLayout.CM_ID_CONTEXT.set(id, KEY);
    }

    @AfterEach
    void free() {
        call.close();
    }

    @Test
    void shouldCopyTheFailureOfAnIdentifier() {
        CmEvent copy = copy(ConnectionEventType.UNREACHABLE.code(), -110);

        assertThat(copy.type()).isEqualTo(ConnectionEventType.UNREACHABLE);
        assertThat(copy.status()).isEqualTo(-110);
        assertThat(copy.key()).isEqualTo(KEY);
        assertThat(copy.identifier()).isEqualTo(id.address());
        assertThat(copy.parameters()).isEqualTo(ConnectionParameters.ZERO);
    }

    @Test
    void shouldGiveARequestToItsListener() {
        MemorySegment listener = call.allocate(RdmacmLayout.CM_ID);
        RdmacmLayout.CM_ID_CONTEXT.set(listener, LISTENER_KEY);
        RdmacmLayout.EVENT_LISTEN_ID.set(event, listener.address());

        CmEvent copy = copy(ConnectionEventType.CONNECT_REQUEST.code(), 0);

        assertThat(copy.key()).isEqualTo(LISTENER_KEY);
        assertThat(copy.identifier()).isEqualTo(id.address());
    }

    @Test
    void shouldCopyParametersAndPrivateData() {
        RdmacmLayout.PARAM_RESPONDER_RESOURCES.set(param, 2);
        RdmacmLayout.PARAM_INITIATOR_DEPTH.set(param, 255);
        RdmacmLayout.PARAM_RETRY_COUNT.set(param, 5);
        RdmacmLayout.PARAM_RNR_RETRY_COUNT.set(param, 6);
        privateData((byte) 1, (byte) 2, (byte) 255);

        CmEvent copy = copy(ConnectionEventType.CONNECT_RESPONSE.code(), 0);

        assertThat(copy.parameters())
                .isEqualTo(new ConnectionParameters(new byte[] {1, 2, (byte) 255}, 2, 255, 5, 6));
    }

    @Test
    void shouldTakeAnyNumberOfRetriesThePeerSays() {
        RdmacmLayout.PARAM_RETRY_COUNT.set(param, 255);
        RdmacmLayout.PARAM_RNR_RETRY_COUNT.set(param, 8);

        CmEvent copy = copy(ConnectionEventType.CONNECT_RESPONSE.code(), 0);

        assertThat(copy.parameters().retryCount()).isEqualTo(7);
        assertThat(copy.parameters().rnrRetryCount()).isEqualTo(7);
    }

    @Test
    void shouldIgnoreALengthWithoutPrivateData() {
        RdmacmLayout.PARAM_PRIVATE_DATA_LEN.set(param, 56);

        assertThat(copy(ConnectionEventType.REJECTED.code(), 28).parameters().privateData())
                .isEmpty();
    }

    @Test
    void shouldNotReadParametersThatOtherEventsLeaveUndefined() {
        RdmacmLayout.PARAM_PRIVATE_DATA.set(param, 1);
        RdmacmLayout.PARAM_PRIVATE_DATA_LEN.set(param, 255);

        assertThat(copy(ConnectionEventType.DISCONNECTED.code(), 0).parameters())
                .isEqualTo(ConnectionParameters.ZERO);
    }

    @Test
    void shouldNotStumbleOverAnUnknownType() {
        assertThat(copy(4711, 0).type()).isEqualTo(ConnectionEventType.UNRECOGNIZED);
        assertThat(copy(-1, 0).type()).isEqualTo(ConnectionEventType.UNRECOGNIZED);
    }

    @Test
    void shouldCopyTheAddresses() {
        InetSocketAddress local = new InetSocketAddress("10.77.0.1", 7174);
        InetSocketAddress remote = new InetSocketAddress("fd77::1", 40000);
        RdmacmLayout.CM_ID_SOURCE.in(id).copyFrom(SocketAddressLayout.write(call, local));
        RdmacmLayout.CM_ID_DESTINATION.in(id).copyFrom(SocketAddressLayout.write(call, remote));

        CmPath path = copy(ConnectionEventType.ADDRESS_RESOLVED.code(), 0).path();

        assertThat(path.local()).contains(local);
        assertThat(path.remote()).contains(remote);
        assertThat(path.device()).isEmpty();
        assertThat(path.mayUse("rxe0")).isTrue();
    }

    private void privateData(byte... bytes) {
        MemorySegment memory = call.arena().allocateFrom(ValueLayout.JAVA_BYTE, bytes);
        RdmacmLayout.PARAM_PRIVATE_DATA.set(param, memory.address());
        RdmacmLayout.PARAM_PRIVATE_DATA_LEN.set(param, bytes.length);
    }

    private CmEvent copy(int type, int status) {
        RdmacmLayout.EVENT_TYPE.set(event, type);
        RdmacmLayout.EVENT_STATUS.set(event, status);
        return CmEvent.copy(event.address());
    }
}
