// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.measure;

import picocli.CommandLine.Option;

/** The options of benchmarks that measure small messages and large ones. */
public final class MessageSizes {
    @Option(
            names = "--small-size",
            paramLabel = "BYTES",
            converter = ByteSize.class,
            defaultValue = "64",
            description = "Size of a small message in bytes (${DEFAULT-VALUE}).")
    private int smallBytes;

    @Option(
            names = "--large-size",
            paramLabel = "BYTES",
            converter = ByteSize.class,
            defaultValue = "1m",
            description = "Size of a large message in bytes (${DEFAULT-VALUE}).")
    private int largeBytes;

    /** {@return the size of a small message} */
    public int smallBytes() {
        return smallBytes;
    }

    /** {@return the size of a large message} */
    public int largeBytes() {
        return largeBytes;
    }
}
