// SPDX-License-Identifier: Apache-2.0
package io.verbena.tck;

import io.verbena.verbs.SendOpcode;
import io.verbena.verbs.SendWorkRequest;
import io.verbena.verbs.WorkCompletionOpcode;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Data copied while posting. */
public abstract class InlineConformance extends ConformanceTest {
    private static final int INLINE = SendWorkRequest.INLINE | SendWorkRequest.SIGNALED;
    private static final int ASKED = 64;
    private static final int NO_KEY = 0x5eed;
    private static final Duration A_WHILE = Duration.ofMillis(20);

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 7, 8, 31, 32, 33, 63, 64})
    void shouldDeliverInlineSend(int size) {
        ConnectedPair pair = inlinePair();
        pair.initiator().fill(0, size, size);
        pair.target().postReceive(1, 0, 128);

        pair.initiator().post(pair.initiator().request(SendOpcode.SEND, 2, 0, size).flags(INLINE));

        pair.target().awaitReceive().assertLength(size);
        pair.initiator().awaitSend().assertSuccess(WorkCompletionOpcode.SEND).assertId(2);
        pair.target().verify(0, size, size);
    }

    @Test
    void shouldDeliverLongestInlineSend() {
        ConnectedPair pair = inlinePair();
        int most = pair.initiator().queuePair().options().maxInlineBytes();
        pair.initiator().fill(0, most, 3);
        pair.target().postReceive(1, 0, most);

        pair.initiator().post(pair.initiator().request(SendOpcode.SEND, 2, 0, most).flags(INLINE));

        pair.target().awaitReceive().assertLength(most);
        pair.target().verify(0, most, 3);
    }

    @ParameterizedTest
    @EnumSource(
            value = SendOpcode.class,
            names = {"SEND", "SEND_WITH_IMMEDIATE", "RDMA_WRITE", "RDMA_WRITE_WITH_IMMEDIATE"})
    void shouldAllowOverwritingBufferAfterPost(SendOpcode opcode) {
        ConnectedPair pair = inlinePair();
        Endpoint initiator = pair.initiator();
        initiator.fill(0, ASKED, 1);

        // Without a receive neither the first send nor those behind it can complete.
        initiator.post(initiator.request(SendOpcode.SEND, 1));
        initiator.post(initiator.remote(opcode, 2, 0, ASKED, 512).immediate(5).flags(INLINE));
        initiator.fill(0, ASKED, 2);
        pair.target().postReceive(1, 0, 0);
        pair.target().postReceive(2, 512, ASKED);

        initiator.awaitSend().assertId(1).assertSuccess(WorkCompletionOpcode.SEND);
        initiator.awaitSend().assertId(2);
        pair.target().awaitReceive().assertId(1);
        if (opcode != SendOpcode.RDMA_WRITE) {
            pair.target().awaitReceive().assertId(2);
        }
        pair.target().verify(512, ASKED, 1);
    }

    @Test
    void shouldKeepInlineDataWhileReceiverIsNotReady() {
        ConnectedPair pair = inlinePair();
        for (int i = 0; i < 8; i++) {
            pair.initiator().fill(0, ASKED, i);
            pair.initiator()
                    .post(pair.initiator().request(SendOpcode.SEND, i, 0, ASKED).flags(INLINE));
        }
        pair.initiator().fill(0, ASKED, 99);
        pair.initiator().assertQuiet(A_WHILE);

        for (int i = 0; i < 8; i++) {
            pair.target().postReceive(i, i * (long) ASKED, ASKED);
        }

        for (int i = 0; i < 8; i++) {
            pair.target().awaitReceive().assertId(i).assertLength(ASKED);
            pair.target().verify(i * (long) ASKED, ASKED, i);
        }
    }

    @Test
    void shouldNotCheckLocalKeyOfInlineData() {
        assumeNo(Quirk.INLINE_DATA_NEEDS_A_REGION);
        ConnectedPair pair = inlinePair();
        MemorySegment unregistered = pair.initiator().arena().allocate(ASKED, 8);
        Pattern.fill(unregistered, 6);
        pair.target().postReceive(1, 0, ASKED);
        SendWorkRequest request =
                pair.initiator().request(SendOpcode.SEND, 2).elementCount(1).flags(INLINE);
        request.element(0).set(unregistered.address(), ASKED, NO_KEY);

        pair.initiator().post(request);

        pair.target().awaitReceive().assertLength(ASKED);
        pair.initiator().awaitSend().assertSuccess(WorkCompletionOpcode.SEND);
        pair.target().verify(0, ASKED, 6);
    }

    @Test
    void shouldGatherInlineElements() {
        ConnectedPair pair = inlinePair();
        Endpoint initiator = pair.initiator();
        initiator.fill(0, 17, 1);
        initiator.fill(100, 30, 2);
        initiator.fill(200, 1, 3);
        pair.target().postReceive(1, 0, ASKED);
        SendWorkRequest request =
                initiator.request(SendOpcode.SEND, 2).elementCount(3).flags(INLINE);
        request.element(0).set(initiator.region(), 0, 17);
        request.element(1).set(initiator.region(), 100, 30);
        request.element(2).set(initiator.region(), 200, 1);

        initiator.post(request);

        pair.target().awaitReceive().assertLength(48);
        pair.target().verify(0, 17, 1);
        pair.target().verify(17, 30, 2);
        pair.target().verify(47, 1, 3);
    }

    @Test
    void shouldRefuseTooLongInlineSend() {
        ConnectedPair pair = inlinePair();
        int most = pair.initiator().queuePair().options().maxInlineBytes();

        SendWorkRequest request =
                pair.initiator().request(SendOpcode.SEND, 2, 0, most + 1).flags(INLINE);

        assertInvalid(() -> pair.initiator().queuePair().postSend(request));
    }

    @Test
    void shouldCountAllElementsAgainstInlineLimit() {
        ConnectedPair pair = inlinePair();
        int most = pair.initiator().queuePair().options().maxInlineBytes();
        SendWorkRequest request =
                pair.initiator().request(SendOpcode.SEND, 2).elementCount(2).flags(INLINE);
        request.element(0).set(pair.initiator().region(), 0, most);
        request.element(1).set(pair.initiator().region(), 0, 1);

        assertInvalid(() -> pair.initiator().queuePair().postSend(request));
    }

    @Test
    void shouldStillWorkAfterRefusedInlineSend() {
        ConnectedPair pair = inlinePair();
        int most = pair.initiator().queuePair().options().maxInlineBytes();
        pair.target().postReceive(1, 0, ASKED);
        SendWorkRequest request =
                pair.initiator().request(SendOpcode.SEND, 2, 0, most + 1).flags(INLINE);
        assertInvalid(() -> pair.initiator().queuePair().postSend(request));

        pair.initiator().postSend(3, 0, ASKED);

        pair.target().awaitReceive().assertId(1).assertLength(ASKED);
        pair.initiator().awaitSend().assertId(3).assertSuccess(WorkCompletionOpcode.SEND);
    }

    private ConnectedPair inlinePair() {
        int most = device().maxInlineBytes();
        Assumptions.assumeTrue(most >= ASKED, "the device takes only " + most + " inline bytes");
        return closing(pair().initiator(side -> side.inline(ASKED)).connect());
    }
}
