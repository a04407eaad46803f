// SPDX-License-Identifier: Apache-2.0

/** The commands that measure: {@code bench}, {@code perf} and {@code press}. */
@SuppressWarnings("requires-transitive-automatic") // HdrHistogram has no module descriptor
module io.verbena.bench {
    requires transitive HdrHistogram;
    requires transitive info.picocli;
    requires transitive io.verbena.tools;
    requires io.netty.buffer;
    requires io.netty.common;
    requires io.netty.transport;
    requires io.verbena.socket;

    exports io.verbena.bench;
    exports io.verbena.bench.measure;
    exports io.verbena.bench.perf;
    exports io.verbena.bench.press;

    opens io.verbena.bench to
            info.picocli;
    opens io.verbena.bench.measure to
            info.picocli;
    opens io.verbena.bench.perf to
            info.picocli;
    opens io.verbena.bench.press to
            info.picocli;
    opens io.verbena.bench.proto to
            com.google.protobuf;
    opens io.verbena.bench.socket to
            info.picocli;
    opens io.verbena.bench.stream to
            info.picocli;
    opens io.verbena.bench.streaming to
            info.picocli;
    opens io.verbena.bench.verbs to
            info.picocli;
}
