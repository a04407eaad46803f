// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.memory.IOBuf;
import io.verbena.verbs.SendWorkRequest;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What an endpoint puts on the wire, seen by a peer in plain verbs. */
class WireRulesTest {
    private static final int QUEUE = 128;
    private static final int CAPACITY = 125;

    private final RecordingSink sink = new RecordingSink();
    private final WatchedDevice device = new WatchedDevice(DeviceUnderTest.LEFT);
    private RdmaDevice domain;
    private RdmaEndpoint endpoint;
    private VerbsPeer peer;

    @BeforeEach
    void open() {
        domain = device.open(Domains.FLAGS);
        endpoint = domain.endpoints().allocate(Side.CLIENT);
        peer = new VerbsPeer(1024, QUEUE);
        peer.connect(endpoint, QUEUE);
    }

    @AfterEach
    void close() {
        domain.close();
        peer.close();
    }

    private void write(int length) {
        endpoint.write(domain.pool().buffer().append(new byte[length]));
    }

    @Test
    void shouldSendEveryMessageWithImmediateAndNoneLongerThanThePeersBlock() throws Exception {
        endpoint.open(sink);

        write(10_000);
        peer.awaitMessages(10);

        assertThat(peer.messages)
                .extracting(VerbsPeer.Message::length)
                .containsExactly(
                        1024, 1024, 1024, 1024, 1024, 1024, 1024, 1024, 1024, 10_000 - 9 * 1024);
        assertThat(peer.messages).allMatch(VerbsPeer.Message::hasImmediate);
        assertThat(peer.messages).extracting(VerbsPeer.Message::immediate).containsOnly(0);
    }

    @Test
    void shouldUseNoMoreReceivesThanThePeerHas() throws Exception {
        endpoint.open(sink);

        write(300 * 1024);
        peer.awaitMessages(CAPACITY);
        int withoutCredits = peer.settle();
        peer.post(10);
        peer.send(0, 10);
        peer.awaitMessages(CAPACITY + 10);

        assertThat(withoutCredits).isEqualTo(CAPACITY);
        assertThat(peer.settle()).isEqualTo(CAPACITY + 10);
        assertThat(endpoint.unwrittenBytes()).isEqualTo((300 - CAPACITY - 10) * 1024);
    }

    @Test
    void shouldReturnCreditsWithData() throws Exception {
        endpoint.open(sink);
        for (int i = 0; i < 5; i++) {
            peer.send(100, 0);
        }
        sink.awaitBytes(500);
        Domains.await("credits", () -> endpoint.statistics().unreportedReceives() == 5);

        write(10);
        write(10);
        peer.awaitMessages(2);

        assertThat(peer.messages).extracting(VerbsPeer.Message::immediate).containsExactly(5, 0);
    }

    @Test
    void shouldAcknowledgeAboveHalfAWindow() throws Exception {
        endpoint.open(sink);
        for (int i = 0; i < 63; i++) {
            peer.send(100, 0);
        }
        sink.awaitBytes(6300);
        int before = peer.settle();

        peer.send(100, 0);
        peer.awaitMessages(1);

        assertThat(before).isZero();
        assertThat(peer.messages).containsExactly(new VerbsPeer.Message(0, true, 64));
        assertThat(device.sendFlags)
                .containsExactly(SendWorkRequest.SOLICITED | SendWorkRequest.SIGNALED);
    }

    @Test
    void shouldNotAcknowledgeAcknowledgements() throws Exception {
        endpoint.open(sink);
        write(10 * 1024);
        peer.awaitMessages(10);
        for (int i = 0; i < 10; i++) {
            peer.send(0, 1);
        }
        Domains.await(
                "acknowledgements", () -> endpoint.statistics().receivedAcknowledgements() == 10);

        assertThat(endpoint.statistics().unreportedReceives()).isZero();
        assertThat(endpoint.statistics().remoteReceiveWindow()).isEqualTo(CAPACITY);
    }

    @Test
    void shouldSolicitOnlyFromTheLastWriteOnInAShortBurst() throws Exception {
        endpoint.write(domain.pool().buffer().append(new byte[5 * 1024]));
        endpoint.write(domain.pool().buffer().append(new byte[10]));

        endpoint.open(sink);

        assertThat(solicited(6)).containsExactly(false, false, false, false, true, true);
    }

    @Test
    void shouldSolicitEachQuarterAndWhenTheWindowCloses() throws Exception {
        IOBuf data = domain.pool().buffer().append(new byte[130 * 1024]);
        endpoint.write(data);
        endpoint.write(domain.pool().buffer().append(new byte[10]));

        endpoint.open(sink);
        List<Boolean> seen = solicited(CAPACITY);

        List<Integer> places = new ArrayList<>();
        for (int i = 0; i < seen.size(); i++) {
            if (seen.get(i)) {
                places.add(i);
            }
        }
        assertThat(places).containsExactly(32, 65, 98, 124);
    }

    private List<Boolean> solicited(int count) throws Exception {
        peer.awaitMessages(count);
        return device.sendFlags.stream()
                .map(flags -> (flags & SendWorkRequest.SOLICITED) != 0)
                .toList();
    }

    @Test
    void shouldSignalTheLastOfABurstButNoInlineMessageAlone() throws Exception {
        endpoint.open(sink);
        write(3 * 1024);
        write(64);
        peer.awaitMessages(4);

        assertThat(device.sendFlags)
                .extracting(flags -> flags & ~SendWorkRequest.SOLICITED)
                .containsExactly(0, 0, SendWorkRequest.SIGNALED, SendWorkRequest.INLINE);
    }

    @Test
    void shouldPostALargeWriteInChains() throws Exception {
        endpoint.open(sink);
        write(20 * 1024);
        write(64);
        peer.awaitMessages(21);

        assertThat(device.chains).containsExactly(8, 8, 4, 1);
    }

    @ParameterizedTest
    @CsvSource({"4, 40 1024 1024 1024 1024", "3, 1024 1024 1024 40"})
    void shouldNotCutTheBlocksOfALargeWriteAtItsHeader(int blocks, String lengths)
            throws Exception {
        endpoint.open(sink);
        IOBuf written = domain.pool().buffer().append(new byte[40]);
        for (int i = 0; i < blocks; i++) {
            try (IOBuf block = domain.pool().buffer().append(new byte[1024])) {
                written.append(block);
            }
        }
        int pieces = written.pieces();
        endpoint.write(written);
        peer.awaitMessages(lengths.split(" ").length);

        assertThat(pieces).isEqualTo(1 + blocks);
        assertThat(peer.messages)
                .extracting(VerbsPeer.Message::length)
                .map(String::valueOf)
                .isEqualTo(List.of(lengths.split(" ")));
    }

    @Test
    void shouldCopySmallMessagesAndHandUpLargeOnesWithTheirBlocks() throws Exception {
        List<Integer> inUse = new ArrayList<>();
        RecordingSink keeping =
                new RecordingSink() {
                    @Override
                    public void onData(IOBuf received) {
                        inUse.add(Domains.blocksInUse(domain));
                    }
                };
        endpoint.open(keeping);

        peer.send(511, 0);
        Domains.await("the first", () -> inUse.size() == 1);
        peer.send(512, 0);
        Domains.await("the second", () -> inUse.size() == 2);

        // 128 posted, one block that small ones are copied to, and one handed up
        assertThat(inUse).containsExactly(129, 130);
    }
}
