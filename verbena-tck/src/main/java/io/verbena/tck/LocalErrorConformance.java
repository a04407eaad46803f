// SPDX-License-Identifier: Apache-2.0
package io.verbena.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.verbs.AccessFlag;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.ReceiveWorkRequest;
import io.verbena.verbs.SendOpcode;
import io.verbena.verbs.SendWorkRequest;
import io.verbena.verbs.WorkCompletionStatus;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Requests that their own side must refuse, and the statuses of local errors. */
public abstract class LocalErrorConformance extends ConformanceTest {
    private static final long UNTOUCHED = 77;

    @ParameterizedTest
    @EnumSource
    void shouldRefuseBadElementOfSend(LocalFault fault) {
        ConnectedPair pair = connect();
        pair.target().fill(0, 64, UNTOUCHED);
        pair.target().postReceive(1, 0, 8192);

        postFaulty(pair, SendOpcode.SEND, fault);

        assertRefused(pair, statusOf(fault));
        pair.target().verify(0, 64, UNTOUCHED);
    }

    @ParameterizedTest
    @EnumSource
    void shouldRefuseBadElementOfWrite(LocalFault fault) {
        ConnectedPair pair = connect();
        pair.target().fill(0, 64, UNTOUCHED);

        postFaulty(pair, SendOpcode.RDMA_WRITE, fault);

        assertRefused(pair, statusOf(fault));
        pair.target().verify(0, 64, UNTOUCHED);
    }

    @ParameterizedTest
    @EnumSource
    void shouldRefuseBadElementOfRead(LocalFault fault) {
        ConnectedPair pair = connect();

        postFaulty(pair, SendOpcode.RDMA_READ, fault);

        assertRefused(pair, WorkCompletionStatus.LOCAL_PROTECTION);
    }

    @Test
    void shouldRefuseBadSecondElement() {
        ConnectedPair pair = connect();
        pair.target().fill(0, 64, UNTOUCHED);
        SendWorkRequest request =
                pair.initiator().remote(SendOpcode.RDMA_WRITE, 1, 0, 16, 0).elementCount(2);
        LocalFault.WRONG_KEY.applyTo(request.element(1), pair.initiator());

        pair.initiator().post(request);

        assertRefused(pair, statusOf(LocalFault.WRONG_KEY));
        pair.target().verify(0, 64, UNTOUCHED);
    }

    /** {@return how a send or write with the fault ends} */
    private WorkCompletionStatus statusOf(LocalFault fault) {
        return fault.isOfTheKey() && has(Quirk.BAD_LOCAL_KEY_REPORTED_AS_OPERATION_ERROR)
                ? WorkCompletionStatus.LOCAL_QP_OPERATION
                : WorkCompletionStatus.LOCAL_PROTECTION;
    }

    private static void postFaulty(ConnectedPair pair, SendOpcode opcode, LocalFault fault) {
        SendWorkRequest request =
                pair.initiator().remote(opcode, 1, 0, LocalFault.LENGTH, 0).elementCount(1);
        fault.applyTo(request.element(0), pair.initiator());
        pair.initiator().post(request);
    }

    @ParameterizedTest
    @EnumSource(
            value = SendOpcode.class,
            names = {"RDMA_READ", "COMPARE_AND_SWAP", "FETCH_AND_ADD"})
    void shouldNotWriteToRegionWithoutLocalWrite(SendOpcode opcode) {
        ConnectedPair pair = connect();
        MemoryRegion readOnly = pair.initiator().createRegion(MemoryKind.USER, 64);
        Pattern.fill(readOnly.memory(), UNTOUCHED);

        pair.initiator().post(operation(pair, opcode).element(readOnly, 0, 8));

        pair.initiator().awaitSend().assertStatus(WorkCompletionStatus.LOCAL_PROTECTION);
        pair.initiator().awaitState(QueuePairState.ERROR);
        Pattern.verify(readOnly.memory(), UNTOUCHED);
    }

    @ParameterizedTest
    @EnumSource(
            value = SendOpcode.class,
            names = {"RDMA_READ", "COMPARE_AND_SWAP", "FETCH_AND_ADD"})
    void shouldRefuseReadOrAtomicIfNoneMayBeOutstanding(SendOpcode opcode) {
        assumeNo(Quirk.READ_WITHOUT_RESOURCES_STALLS);
        ConnectedPair pair =
                closing(
                        pair().initiator(
                                        side ->
                                                side.settings(
                                                        s ->
                                                                s.withReadAtomic(
                                                                        0,
                                                                        s
                                                                                .maxDestinationReadAtomic())))
                                .connect());

        pair.initiator().post(operation(pair, opcode));

        assertRefused(pair, WorkCompletionStatus.LOCAL_QP_OPERATION);
    }

    @ParameterizedTest
    @CsvSource({
        "COMPARE_AND_SWAP, 4",
        "COMPARE_AND_SWAP, 16",
        "FETCH_AND_ADD, 7",
        "FETCH_AND_ADD, 9",
        "FETCH_AND_ADD, 0"
    })
    void shouldRefuseAtomicUnlessLocalElementsHoldEightBytes(SendOpcode opcode, int length) {
        ConnectedPair pair = connect();
        SendWorkRequest request = operation(pair, opcode);
        if (length == 0) {
            request.elementCount(0);
        } else {
            request.element(pair.initiator().region(), 0, length);
        }
        if (has(Quirk.ATOMIC_LENGTH_UNCHECKED) && length < 8) {
            assertInvalid(() -> pair.initiator().post(request));
            return;
        }

        pair.initiator().post(request);
        if (has(Quirk.ATOMIC_LENGTH_UNCHECKED)) {
            pair.initiator().awaitSend().assertStatus(WorkCompletionStatus.SUCCESS);
            return;
        }

        assertRefused(pair, WorkCompletionStatus.LOCAL_LENGTH);
        assertThat(pair.target().memory(0, 8).toArray(ValueLayout.JAVA_BYTE)).containsOnly(0);
    }

    @ParameterizedTest
    @EnumSource(
            value = SendOpcode.class,
            names = {"SEND", "RDMA_WRITE", "RDMA_READ"})
    void shouldRefuseMessageLongerThanPortAllows(SendOpcode opcode) {
        assumeNo(Quirk.MESSAGE_LENGTH_UNCHECKED);
        int count = Math.min(30, device().maxElements());
        ConnectedPair pair = closing(pair().both(side -> side.elements(count, 1)).connect());
        long most = pair.initiator().context().queryPort(1).maxMessageBytes();
        long part = most / count + 1;
        Assumptions.assumeTrue(
                part <= Integer.MAX_VALUE, "the port takes messages of any length: " + most);
        MemoryRegion region =
                pair.initiator().createRegion(MemoryKind.DEVICE, part, AccessFlag.LOCAL_WRITE);
        SendWorkRequest request = operation(pair, opcode).elementCount(count);
        for (int i = 0; i < count; i++) {
            request.element(i).set(region, 0, (int) part);
        }

        pair.initiator().post(request);

        assertRefused(pair, WorkCompletionStatus.LOCAL_LENGTH);
    }

    /** Nothing reached the target: it still works and its receives still wait. */
    private static void assertRefused(ConnectedPair pair, WorkCompletionStatus status) {
        pair.initiator().awaitSend().assertId(1).assertStatus(status);
        pair.initiator().awaitState(QueuePairState.ERROR);
        pair.initiator().assertNoCompletion();
        assertThat(pair.target().queuePair().state()).isEqualTo(QueuePairState.READY_TO_SEND);
        pair.target().assertNoCompletion();
    }

    // Only the bytes a message fills count, so an element may claim more than its region has.
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "LONGER_THAN_REGION")
    void shouldFailReceiveWithBadElement(LocalFault fault) {
        ConnectedPair pair = connect();
        ReceiveWorkRequest receive = pair.target().receive(1).elementCount(1);
        fault.applyTo(receive.element(0), pair.target());
        pair.target().post(receive);

        pair.initiator().postSend(2, 0, LocalFault.LENGTH);

        assertReceiveFailed(pair);
    }

    @ParameterizedTest
    @EnumSource(MemoryKind.class)
    void shouldFailReceiveIntoRegionWithoutLocalWrite(MemoryKind kind) {
        ConnectedPair pair = connect();
        MemoryRegion readOnly = pair.target().createRegion(kind, 64);
        Pattern.fill(readOnly.memory(), UNTOUCHED);
        pair.target().post(pair.target().receive(1).element(readOnly, 0, 64));

        pair.initiator().postSend(2, 0, 64);

        assertReceiveFailed(pair);
        Pattern.verify(readOnly.memory(), UNTOUCHED);
    }

    private void assertReceiveFailed(ConnectedPair pair) {
        WorkCompletionStatus expected =
                has(Quirk.BAD_RECEIVE_REPORTED_AS_OPERATION_ERROR)
                        ? WorkCompletionStatus.LOCAL_QP_OPERATION
                        : WorkCompletionStatus.LOCAL_PROTECTION;
        pair.target().awaitReceive().assertId(1).assertStatus(expected);
        pair.initiator()
                .awaitSend()
                .assertId(2)
                .assertStatus(WorkCompletionStatus.REMOTE_OPERATION);
        pair.awaitBothInError();
    }

    @ParameterizedTest
    @EnumSource(names = {"RESET", "INIT", "READY_TO_RECEIVE"})
    void shouldRefuseSendBeforeReadyToSend(QueuePairState state) {
        ConnectedPair pair = closing(pair().build());
        Endpoint initiator = pair.initiator();
        if (state != QueuePairState.RESET) {
            initiator.toInit();
        }
        if (state == QueuePairState.READY_TO_RECEIVE) {
            initiator.toReadyToReceive(pair.target().address(), initiator.activeMtu());
        }

        SendWorkRequest request = initiator.request(SendOpcode.SEND, 1, 0, 8);

        assertThat(initiator.queuePair().state()).isEqualTo(state);
        assertInvalid(() -> initiator.queuePair().postSend(request));
    }

    @Test
    void shouldRefuseReceiveInReset() {
        ConnectedPair pair = closing(pair().build());

        ReceiveWorkRequest request = pair.target().receive(1, 0, 8);

        assertInvalid(() -> pair.target().queuePair().postReceive(request));
    }

    private static SendWorkRequest operation(ConnectedPair pair, SendOpcode opcode) {
        MemoryRegion remote = pair.target().region();
        SendWorkRequest request = pair.initiator().remote(opcode, 1, 0, 8, 0);
        return switch (opcode) {
            case COMPARE_AND_SWAP -> request.compareAndSwap(remote.address(), remote.rkey(), 0, 1);
            case FETCH_AND_ADD -> request.fetchAndAdd(remote.address(), remote.rkey(), 1);
            default -> request;
        };
    }
}
