// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.bench;

import picocli.CommandLine.Option;

/** The options that say how much {@code bench stream} does. */
final class StreamSizes {
    private static final int WARMUPS = 10;
    private static final int KERNEL_SHARE = 10;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            defaultValue = "5",
            description = "Rounds, each of all ways; the report gives medians (${DEFAULT-VALUE}).")
    private int rounds;

    @Option(
            names = "--echo-size",
            paramLabel = "BYTES",
            converter = ByteSize.class,
            defaultValue = "64",
            description = "Bytes that go there and back (${DEFAULT-VALUE}).")
    private int echoBytes;

    @Option(
            names = "--echoes",
            paramLabel = "N",
            defaultValue = "100000",
            description = "Round trips per round; a tenth of it over TCP (${DEFAULT-VALUE}).")
    private int echoes;

    @Option(
            names = "--write-size",
            paramLabel = "BYTES",
            converter = ByteSize.class,
            defaultValue = "1m",
            description = "Bytes of a write (${DEFAULT-VALUE}).")
    private int writeBytes;

    @Option(
            names = "--writes",
            paramLabel = "N",
            defaultValue = "2000",
            description = "Writes per round; a tenth of it over TCP (${DEFAULT-VALUE}).")
    private int writes;

    @Option(
            names = "--idle",
            paramLabel = "N",
            defaultValue = "1000",
            description = "Idle connections, to see what one costs in memory (${DEFAULT-VALUE}).")
    private int idle;

    int rounds() {
        return rounds;
    }

    int echoBytes() {
        return echoBytes;
    }

    int echoes() {
        return echoes;
    }

    int writeBytes() {
        return writeBytes;
    }

    int writes() {
        return writes;
    }

    int idle() {
        return idle;
    }

    /** {@return runs before the first round, each as long as one over TCP} */
    int warmups() {
        return WARMUPS;
    }

    /** {@return how many times fewer exchanges are made through the kernel, which is slower} */
    int kernelShare() {
        return KERNEL_SHARE;
    }
}
