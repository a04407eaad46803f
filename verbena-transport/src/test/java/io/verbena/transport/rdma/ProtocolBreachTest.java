// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.memory.IOBuf;
import io.verbena.testing.Seeds;
import io.verbena.transport.ConnectionStatistics;
import io.verbena.transport.TransportError;
import io.verbena.transport.TransportException;
import io.verbena.verbs.SendOpcode;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Peers that lie: they may harm their own connection and nothing else. */
class ProtocolBreachTest {
    private static final int SEEDS = Integer.getInteger("verbena.test.seeds", 10);
    private static final int IMMEDIATES = Integer.getInteger("verbena.test.immediates", 5000);
    private static final long FIRST = Seeds.next("ProtocolBreachTest");

    private RdmaDevice domain;
    private RdmaEndpoint endpoint;
    private VerbsPeer peer;
    private final RecordingSink sink = new RecordingSink();

    @BeforeEach
    void open() {
        domain = Domains.open(DeviceUnderTest.LEFT);
    }

    @AfterEach
    void close() {
        domain.close();
        if (peer != null) {
            peer.close();
        }
    }

    private void connect(int claimedQueue, int posted) {
        endpoint = domain.endpoints().allocate(Side.CLIENT);
        peer = new VerbsPeer(1024, claimedQueue).connect(endpoint, posted);
        endpoint.open(sink);
    }

    private void write(int length) {
        endpoint.write(domain.pool().buffer().append(new byte[length]));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 126, -1, Integer.MIN_VALUE, Integer.MAX_VALUE})
    void shouldEndAConnectionWhosePeerReturnsCreditsItNeverGot(int credits) throws Exception {
        connect(128, 128);

        peer.send(0, credits);

        assertThat(sink.awaitEnd().error()).isEqualTo(TransportError.EPROTO);
        Domains.awaitBlocks(domain);
    }

    @Test
    void shouldIgnoreAnEmptyMessageWithoutCredits() throws Exception {
        connect(128, 128);

        peer.send(0, 0);
        peer.send(SendOpcode.SEND, 0, 0);
        peer.send(SendOpcode.SEND, 10, 0);

        assertThat(sink.awaitBytes(10)).hasSize(10);
        assertThat(sink.hasEnded()).isFalse();
    }

    @Test
    void shouldEndAConnectionWhosePeerWritesInsteadOfSending() throws Exception {
        connect(128, 128);

        peer.send(SendOpcode.RDMA_WRITE_WITH_IMMEDIATE, 0, 0);

        assertThat(sink.awaitEnd().error()).isEqualTo(TransportError.EPROTO);
    }

    @Test
    void shouldEndAConnectionWhosePeerHasFewerReceivesThanItClaims() throws Exception {
        connect(128, 16);

        write(100 * 1024);

        // the cause, not the receives that were flushed because of it
        assertThat(sink.awaitEnd())
                .hasMessageContaining("RNR_RETRY_EXCEEDED")
                .extracting(TransportException::error)
                .isEqualTo(TransportError.ERDMA);
        Domains.awaitBlocks(domain);
    }

    @Test
    void shouldTellLateWritersTheCauseToo() throws Exception {
        connect(128, 16);
        write(100 * 1024);
        sink.awaitEnd();
        IOBuf data = domain.pool().buffer().append(new byte[10]);

        assertThatThrownBy(() -> endpoint.write(data))
                .rootCause()
                .hasMessageContaining("RNR_RETRY_EXCEEDED");
        data.close();
    }

    @Test
    void shouldNotLetAPeerThatSendsMoreThanItMayHarmOthers() throws Exception {
        connect(4096, 128);
        for (int i = 0; i < 1000; i++) {
            peer.send(1024, 0);
        }

        // whatever happens to that connection, another one works
        RecordingSink left = new RecordingSink();
        RecordingSink right = new RecordingSink();
        try (EndpointPair pair = EndpointPair.open(domain, domain, left, right)) {
            pair.left.write(pair.leftBytes(new byte[100_000]));
            assertThat(right.awaitBytes(100_000)).hasSize(100_000);
        }
    }

    static LongStream seeds() {
        return LongStream.range(FIRST, FIRST + SEEDS);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void shouldSurviveRandomImmediateData(long seed) throws Exception {
        Random random = new Random(seed);
        connect(16 + random.nextInt(200), 200);
        write(random.nextInt(20_000));

        for (int i = 0; i < 50 && !sink.hasEnded(); i++) {
            int immediate = random.nextInt(4) == 0 ? random.nextInt() : random.nextInt(4);
            peer.send(random.nextInt(3) == 0 ? 0 : random.nextInt(2000), immediate);
            ConnectionStatistics now = endpoint.statistics();
            assertThat(now.remoteReceiveWindow()).isBetween(0, now.localWindowCapacity());
        }

        endpoint.abort(EndpointPair.bye());
        assertThat(sink.awaitEnd().error())
                .isIn(TransportError.EPROTO, TransportError.ERDMA, TransportError.ECLOSE);
        Domains.awaitBlocks(domain);
        assertThat(domain.connections()).isZero();
    }

    /** Mostly legal, so that a connection lives for hundreds of messages. A million in the soak. */
    @Test
    @Timeout(value = 20, unit = TimeUnit.MINUTES)
    void shouldSurviveManyImmediates() throws Exception {
        long seed = FIRST;
        for (int left = IMMEDIATES; left > 0; seed++) {
            Random random = new Random(seed);
            RecordingSink received = new RecordingSink();
            RdmaEndpoint victim = domain.endpoints().allocate(Side.CLIENT);
            try (VerbsPeer liar = new VerbsPeer(1024, 128).connect(victim, 200)) {
                victim.open(received);
                for (int i = 0; i < 1000 && left > 0 && !received.hasEnded(); i++) {
                    left--;
                    int immediate = random.nextInt(500) == 0 ? random.nextInt() : 0;
                    liar.send(random.nextInt(3) == 0 ? 0 : random.nextInt(200), immediate);
                }
                victim.abort(EndpointPair.bye());
                assertThat(received.awaitEnd().error())
                        .as("seed %d", seed)
                        .isIn(TransportError.EPROTO, TransportError.ERDMA, TransportError.ECLOSE);
            }
        }
        Domains.awaitBlocks(domain);
        assertThat(domain.connections()).isZero();
    }
}
