// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.bench;

import picocli.CommandLine.Option;

/** The options that say how much {@code bench socket} and {@code bench mq} do. */
final class SocketSizes {
    private static final int WARMUPS = 10;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            defaultValue = "5",
            description = "Rounds, each of all ways; the report gives medians (${DEFAULT-VALUE}).")
    private int rounds;

    @Option(
            names = "--small-size",
            paramLabel = "BYTES",
            converter = ByteSize.class,
            defaultValue = "64",
            description = "Bytes of a small message (${DEFAULT-VALUE}).")
    private int smallBytes;

    @Option(
            names = "--smalls",
            paramLabel = "N",
            defaultValue = "0",
            description =
                    "Small messages per round. Default: 100000 round trips, or 1000000 one way.")
    private int smalls;

    @Option(
            names = "--large-size",
            paramLabel = "BYTES",
            converter = ByteSize.class,
            defaultValue = "1m",
            description = "Bytes of a large message (${DEFAULT-VALUE}).")
    private int largeBytes;

    @Option(
            names = "--larges",
            paramLabel = "N",
            defaultValue = "2000",
            description = "Large messages per round (${DEFAULT-VALUE}).")
    private int larges;

    int rounds() {
        return rounds;
    }

    int smallBytes() {
        return smallBytes;
    }

    /**
     * {@return small messages per round}
     *
     * @param suitable how many, if nothing was said
     */
    int smalls(int suitable) {
        return smalls > 0 ? smalls : suitable;
    }

    int largeBytes() {
        return largeBytes;
    }

    int larges() {
        return larges;
    }

    /** {@return runs before the first round, each a tenth of one} */
    int warmups() {
        return WARMUPS;
    }
}
