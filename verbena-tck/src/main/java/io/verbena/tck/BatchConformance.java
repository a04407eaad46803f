// SPDX-License-Identifier: Apache-2.0
package io.verbena.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.verbs.ReceiveWorkRequest;
import io.verbena.verbs.SendOpcode;
import io.verbena.verbs.SendWorkRequest;
import io.verbena.verbs.WorkCompletionOpcode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Chains of requests, full queues and malformed requests. */
public abstract class BatchConformance extends ConformanceTest {
    private static final int MESSAGE = 32;

    /** A multiple of the capacity that certainly does not fit. */
    private static final int MANY = 4;

    private static final int COMPLETIONS = 1024;

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 15, 16})
    void shouldRunWholeChain(int length) {
        ConnectedPair pair = connect();
        pair.initiator().fill(0, (long) length * MESSAGE, 1);
        pair.target().post(receiveChain(pair.target(), length));

        pair.initiator().post(sendChain(pair.initiator(), length));

        for (int i = 0; i < length; i++) {
            pair.target().awaitReceive().assertId(i).assertLength(MESSAGE);
            pair.initiator().awaitSend().assertId(i).assertSuccess(WorkCompletionOpcode.SEND);
        }
        pair.target().verify(0, (long) length * MESSAGE, 1);
    }

    @Test
    void shouldTakeOnlyWhatFitsOfSendChain() {
        ConnectedPair pair = roomy();
        int capacity = pair.initiator().queuePair().options().maxSendRequests();

        int taken =
                pair.initiator().queuePair().postSend(sendChain(pair.initiator(), MANY * capacity));

        assertThat(taken).isEqualTo(capacity);
        assertThat(pair.initiator().queuePair().postSend(sendChain(pair.initiator(), 1))).isZero();
    }

    @Test
    void shouldRunExactlyWhatWasTakenOfSendChain() {
        ConnectedPair pair = roomy();
        int capacity = pair.initiator().queuePair().options().maxSendRequests();

        int taken =
                pair.initiator().queuePair().postSend(sendChain(pair.initiator(), capacity + 3));
        for (int i = 0; i < taken; i++) {
            pair.target().postReceive(i, 0, MESSAGE);
            pair.target().awaitReceive().assertId(i).assertLength(MESSAGE);
        }

        for (int i = 0; i < taken; i++) {
            pair.initiator().awaitSend().assertId(i).assertSuccess(WorkCompletionOpcode.SEND);
        }
        pair.initiator().assertNoCompletion();
    }

    @Test
    void shouldTakeOnlyWhatFitsOfReceiveChain() {
        ConnectedPair pair = roomy();
        int capacity = pair.target().queuePair().options().maxReceiveRequests();

        int taken =
                pair.target().queuePair().postReceive(receiveChain(pair.target(), MANY * capacity));

        boolean mayBeLonger = has(Quirk.RECEIVE_QUEUE_LONGER_THAN_GRANTED);
        assertThat(taken).isBetween(capacity, mayBeLonger ? MANY * capacity - 1 : capacity);
        assertThat(pair.target().queuePair().postReceive(receiveChain(pair.target(), 1))).isZero();
    }

    @Test
    void shouldFreeReceiveSlotOnceItsCompletionWasPolled() {
        ConnectedPair pair = roomy();
        int capacity = pair.target().queuePair().options().maxReceiveRequests();
        pair.target().queuePair().postReceive(receiveChain(pair.target(), MANY * capacity));

        pair.initiator().postSend(1, 0, MESSAGE);
        pair.target().awaitReceive().assertId(0);

        pair.target().postReceive(2, 0, MESSAGE);
        assertThat(pair.target().queuePair().postReceive(receiveChain(pair.target(), 1))).isZero();
    }

    @Test
    void shouldRunRequestsBeforeMalformedOne() {
        ConnectedPair pair = connect();
        pair.target().post(receiveChain(pair.target(), 4));
        SendWorkRequest first = pair.initiator().request(SendOpcode.SEND, 1, 0, MESSAGE);
        SendWorkRequest malformed = tooManyElements(pair.initiator());
        SendWorkRequest last = pair.initiator().request(SendOpcode.SEND, 3, 0, MESSAGE);
        first.next(malformed.next(last));

        assertInvalid(() -> pair.initiator().queuePair().postSend(first));
        pair.initiator().postSend(4, 0, MESSAGE);

        pair.initiator().awaitSend().assertId(1).assertSuccess(WorkCompletionOpcode.SEND);
        pair.initiator().awaitSend().assertId(4).assertSuccess(WorkCompletionOpcode.SEND);
        pair.initiator().assertNoCompletion();
    }

    @Test
    void shouldTakeReceivesBeforeMalformedOne() {
        ConnectedPair pair = connect();
        ReceiveWorkRequest first = pair.target().receive(1, 0, MESSAGE);
        ReceiveWorkRequest last = pair.target().receive(3, 0, MESSAGE);
        first.next(tooManyReceiveElements(pair.target()).next(last));

        assertInvalid(() -> pair.target().queuePair().postReceive(first));
        pair.target().postReceive(4, 0, MESSAGE);
        pair.initiator().postSend(5, 0, MESSAGE);
        pair.initiator().postSend(6, 0, MESSAGE);

        pair.target().awaitReceive().assertId(1).assertSuccess(WorkCompletionOpcode.RECEIVE);
        pair.target().awaitReceive().assertId(4).assertSuccess(WorkCompletionOpcode.RECEIVE);
    }

    @Test
    void shouldRefuseSendWithTooManyElements() {
        ConnectedPair pair = connect();

        SendWorkRequest request = tooManyElements(pair.initiator());

        assertInvalid(() -> pair.initiator().queuePair().postSend(request));
    }

    @Test
    void shouldRefuseReceiveWithTooManyElements() {
        ConnectedPair pair = connect();

        ReceiveWorkRequest request = tooManyReceiveElements(pair.target());

        assertInvalid(() -> pair.target().queuePair().postReceive(request));
    }

    @Test
    void shouldAllowPatchingRequestsOnceTheyArePosted() {
        ConnectedPair pair = connect();
        pair.initiator().fill(0, 4 * MESSAGE, 1);
        ReceiveWorkRequest receive = pair.target().receive(0);
        SendWorkRequest send = pair.initiator().request(SendOpcode.SEND, 0);

        for (int i = 0; i < 4; i++) {
            pair.initiator()
                    .post(
                            send.id(i)
                                    .element(
                                            pair.initiator().region(),
                                            (long) i * MESSAGE,
                                            MESSAGE));
        }
        send.id(99).element(0).set(0, 0, 0);
        for (int i = 0; i < 4; i++) {
            pair.target()
                    .post(
                            receive.id(i)
                                    .element(pair.target().region(), (long) i * MESSAGE, MESSAGE));
        }
        receive.id(99).element(0).set(0, 0, 0);

        for (int i = 0; i < 4; i++) {
            pair.target().awaitReceive().assertId(i).assertSuccess(WorkCompletionOpcode.RECEIVE);
            pair.initiator().awaitSend().assertId(i).assertSuccess(WorkCompletionOpcode.SEND);
        }
        pair.target().verify(0, 4 * MESSAGE, 1);
    }

    private ConnectedPair roomy() {
        return closing(
                pair().both(side -> side.completionDepth(COMPLETIONS).regionBytes(1 << 16))
                        .connect());
    }

    private static SendWorkRequest sendChain(Endpoint endpoint, int length) {
        List<SendWorkRequest> chain = new ArrayList<>();
        for (int i = 0; i < length; i++) {
            long offset = (long) i * MESSAGE % (endpoint.region().length() - MESSAGE);
            chain.add(endpoint.request(SendOpcode.SEND, i, offset, MESSAGE));
            if (i > 0) {
                chain.get(i - 1).next(chain.get(i));
            }
        }
        return chain.getFirst();
    }

    private static ReceiveWorkRequest receiveChain(Endpoint endpoint, int length) {
        List<ReceiveWorkRequest> chain = new ArrayList<>();
        for (int i = 0; i < length; i++) {
            long offset = (long) i * MESSAGE % (endpoint.region().length() - MESSAGE);
            chain.add(endpoint.receive(i, offset, MESSAGE));
            if (i > 0) {
                chain.get(i - 1).next(chain.get(i));
            }
        }
        return chain.getFirst();
    }

    private static SendWorkRequest tooManyElements(Endpoint endpoint) {
        int count = endpoint.queuePair().options().maxSendElements() + 1;
        SendWorkRequest request =
                SendWorkRequest.allocate(endpoint.arena(), count).id(2).elementCount(count);
        for (int i = 0; i < count; i++) {
            request.element(i).set(endpoint.region(), i, 1);
        }
        return request;
    }

    private static ReceiveWorkRequest tooManyReceiveElements(Endpoint endpoint) {
        int count = endpoint.queuePair().options().maxReceiveElements() + 1;
        ReceiveWorkRequest request =
                ReceiveWorkRequest.allocate(endpoint.arena(), count).id(2).elementCount(count);
        for (int i = 0; i < count; i++) {
            request.element(i).set(endpoint.region(), i, 1);
        }
        return request;
    }
}
