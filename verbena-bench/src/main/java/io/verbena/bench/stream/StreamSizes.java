// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.stream;

import io.verbena.bench.measure.ByteSize;
import picocli.CommandLine.Option;

/** The options that say how much {@code bench stream} does. */
final class StreamSizes {
    private static final int KERNEL_SHARE = 10;

    @Option(
            names = "--echo-size",
            paramLabel = "BYTES",
            converter = ByteSize.class,
            defaultValue = "64",
            description = "Bytes per round trip (${DEFAULT-VALUE}).")
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
            description = "Bytes per write (${DEFAULT-VALUE}).")
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

    /**
     * {@return the number of exchanges through the kernel, which is slower, for a number without
     * it}
     */
    static int kernelShare(int count) {
        return Math.max(1, count / KERNEL_SHARE);
    }
}
