// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.handshake;

import static io.verbena.transport.handshake.HelloBaselineTest.HELLO;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.testing.Seeds;
import io.verbena.transport.SocketMode;
import io.verbena.transport.TransportError;
import io.verbena.transport.TransportException;
import io.verbena.transport.rdma.Hello;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * Mutated hellos in random pieces: a machine either asks for more, decides, or fails with EPROTO,
 * and takes no more bytes than the longest hello has.
 */
class HandshakeFuzzTest {
    private static final int INPUTS = Integer.getInteger("verbena.test.inputs", 100_000);
    private static final int LONGEST = HelloV3.HEADER_LENGTH + HelloV3.MAX_MESSAGE_LENGTH;

    private static final byte[][] SEEDS = {
        HelloV2.encode(HELLO),
        HelloV3.encode(HELLO),
        HelloV3.encode(HelloBaselineTest.withEce(HELLO, new Hello.Ece(1, 2, 3))),
        HelloV2.encodeRefusal(),
        HelloV3.encodeRefusal(),
        Arrays.copyOf(HelloV2.encode(HELLO), 200),
    };

    private final SplittableRandom random = new SplittableRandom(Seeds.next("HandshakeFuzzTest"));
    private int decided;
    private int failed;

    @Test
    void shouldSurviveMutatedHellosAsServer() {
        for (int i = 0; i < INPUTS; i++) {
            ServerHelloMachine handshake = new ServerHelloMachine(SocketMode.RDMA, true);
            feed(mutated(SEEDS[random.nextInt(SEEDS.length)]), handshake::receive);
        }

        assertThat(decided).isGreaterThan(INPUTS / 20);
        assertThat(failed).isGreaterThan(INPUTS / 20);
    }

    @Test
    void shouldSurviveMutatedHellosAsClient() {
        for (int i = 0; i < INPUTS; i++) {
            byte[] seed = SEEDS[random.nextInt(SEEDS.length)];
            HelloVersion version = seed[3] == '3' ? HelloVersion.V3 : HelloVersion.V2;
            ClientHelloMachine handshake = new ClientHelloMachine(version, true);
            handshake.hello(HELLO);
            handshake.helloWritten();
            feed(mutated(seed), handshake::receive);
        }

        assertThat(decided).isGreaterThan(INPUTS / 20);
        assertThat(failed).isGreaterThan(INPUTS / 20);
    }

    private interface Machine {
        HandshakeDecision receive(ByteBuffer in);
    }

    private void feed(byte[] input, Machine machine) {
        ByteBuffer in = ByteBuffer.wrap(input);
        in.limit(0);
        try {
            while (in.limit() < input.length) {
                in.limit(in.limit() + 1 + random.nextInt(input.length - in.limit()));
                if (machine.receive(in) != HandshakeDecision.AWAIT) {
                    decided++;
                    break;
                }
            }
        } catch (TransportException e) {
            failed += e.error() == TransportError.EPROTO ? 1 : fail(e, input);
        }
        if (in.position() > LONGEST) {
            fail(new IllegalStateException("taken: " + in.position()), input);
        }
    }

    private static int fail(RuntimeException e, byte[] input) {
        throw new AssertionError("input: " + HexFormat.of().formatHex(input), e);
    }

    private byte[] mutated(byte[] seed) {
        byte[] input = Arrays.copyOf(seed, length(seed.length));
        if (seed[3] == '3' && random.nextBoolean()) {
            // Mutations of the body matter only if the length in front of it fits.
            ByteBuffer.wrap(input).putInt(4, Math.max(1, input.length - 8));
        }
        int mutations = random.nextInt(6);
        int first = random.nextInt(4) == 0 ? 0 : HelloVersion.MAGIC_BYTES;
        for (int i = 0; i < mutations; i++) {
            int at = first + random.nextInt(input.length - first);
            input[at] =
                    random.nextBoolean()
                            ? (byte) random.nextInt()
                            : (byte) (1 << random.nextInt(8));
        }
        return input;
    }

    private int length(int seedLength) {
        return switch (random.nextInt(8)) {
            case 0 -> 8 + random.nextInt(seedLength);
            case 1 -> seedLength + random.nextInt(64);
            case 2 -> random.nextInt(100) == 0 ? 8 + random.nextInt(LONGEST) : seedLength;
            default -> seedLength;
        };
    }
}
