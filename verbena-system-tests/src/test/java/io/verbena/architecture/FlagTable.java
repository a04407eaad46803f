// SPDX-License-Identifier: Apache-2.0
package io.verbena.architecture;

import io.verbena.memory.BlockPoolOptions;
import io.verbena.rpc.RpcFlag;
import io.verbena.transport.Flag;
import io.verbena.transport.TransportFlag;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What the tables of docs/guide/configuration.md and the page {@code /flags} say: names, defaults
 * and limits from the classes, meanings from the comments of their sources.
 */
final class FlagTable {
    private static final String HEAD =
            "| flag | default | range | unit | meaning |\n| --- | --- | --- | --- | --- |\n";

    private static final String PROPERTIES_HEAD =
            """
            # SPDX-License-Identifier: Apache-2.0
            # What the page /flags says about each flag. Written by FlagTableTest, from the comments.
            """;

    /** By the end of a name, the longest first. */
    private static final Map<String, String> UNITS =
            new TreeMap<>(
                    Map.ofEntries(
                            Map.entry("_ms", "ms"),
                            Map.entry("_us", "µs"),
                            Map.entry("_s", "s"),
                            Map.entry("_sec", "s"),
                            Map.entry("_interval", "s"),
                            Map.entry("_mb", "MiB"),
                            Map.entry("_bytes", "bytes"),
                            Map.entry("_percent", "%"),
                            Map.entry("_mtu", "bytes"),
                            Map.entry("_min_size", "bytes"),
                            Map.entry("_body_size", "bytes"),
                            Map.entry("_segment_size", "bytes"),
                            Map.entry("_sq_size", "requests"),
                            Map.entry("_rq_size", "requests"),
                            Map.entry("_qp_size", "requests"),
                            Map.entry("_pool_size", "connections")));

    private FlagTable() {}

    /** One flag, as it is shown. */
    record Row(String name, String initial, String range, String unit, String meaning) {
        String inTable() {
            return "| `" + String.join(" | ", name + "`", initial, range, unit, meaning) + " |\n";
        }
    }

    static String inTable(List<Row> rows) {
        return HEAD + rows.stream().map(Row::inTable).collect(Collectors.joining());
    }

    /**
     * {@return what {@code /flags} reads: for each flag its unit, if it has one, and its meaning}
     */
    static String asProperties(List<Row> rows) {
        StringBuilder text = new StringBuilder(PROPERTIES_HEAD);
        for (Row row : rows) {
            if (!row.unit().isEmpty()) {
                text.append(row.name()).append(".unit=").append(row.unit()).append('\n');
            }
            String meaning = row.meaning().replace("`", "");
            text.append(row.name()).append(".meaning=").append(meaning).append('\n');
        }
        return text.toString();
    }

    static List<Row> ofTransport() throws IOException {
        return ofEnum(
                TransportFlag.values(),
                "verbena-transport/src/main/java/io/verbena/transport/TransportFlag.java");
    }

    static List<Row> ofRpc() throws IOException {
        return ofEnum(RpcFlag.values(), "verbena-rpc/src/main/java/io/verbena/rpc/RpcFlag.java");
    }

    private static List<Row> ofEnum(Flag[] flags, String path) throws IOException {
        String source = Files.readString(Document.ROOT.resolve(path));
        List<Row> rows = new ArrayList<>();
        for (Flag flag : flags) {
            Matcher comment =
                    Pattern.compile(
                                    "/\\*\\*((?:(?!\\*/).)*)\\*/\\s*" + flag.name() + "\\(",
                                    Pattern.DOTALL)
                            .matcher(source);
            if (!comment.find()) {
                throw new IllegalStateException(flag.name() + ": no comment");
            }
            boolean isNumber = flag.initialValue() instanceof Long;
            rows.add(
                    row(
                            flag.flagName(),
                            flag.initialValue(),
                            isNumber ? range(flag.setting()) : "",
                            plain(comment.group(1))));
        }
        return rows;
    }

    private static String range(Flag.Setting setting) {
        boolean isOpen = setting.most() >= Integer.MAX_VALUE;
        return isOpen ? "from " + setting.least() : setting.least() + " to " + setting.most();
    }

    /**
     * The settings of a record, whose comments begin with the name of the flag; without those that
     * the transport has, too.
     */
    static List<Row> ofPool() throws IOException, ReflectiveOperationException {
        String source =
                Files.readString(
                        Document.ROOT.resolve(
                                "verbena-memory/src/main/java/io/verbena/memory/"
                                        + "BlockPoolOptions.java"));
        List<Row> rows = new ArrayList<>();
        int number = 0;
        for (RecordComponent component : BlockPoolOptions.class.getRecordComponents()) {
            String name = BlockPoolOptions.FLAGS.get(number++);
            if (isOfTransport(name)) {
                continue;
            }
            Matcher comment =
                    Pattern.compile(
                                    "@param "
                                            + component.getName()
                                            + " \\{@value #\\w+}:((?:(?!\\* @param|\\*/).)*)",
                                    Pattern.DOTALL)
                            .matcher(source);
            if (!comment.find()) {
                throw new IllegalStateException(component.getName() + ": no comment");
            }
            Object initial = component.getAccessor().invoke(BlockPoolOptions.DEFAULT);
            String meaning = plain(comment.group(1));
            Matcher range = Pattern.compile(", (?:in MiB, )?(\\d+ to \\d+)").matcher(meaning);
            boolean hasRange = range.find();
            rows.add(
                    row(
                            name,
                            initial instanceof Duration time
                                    ? time.toSeconds()
                                    : initial.toString().toLowerCase(Locale.ROOT),
                            hasRange ? range.group(1) : "",
                            sentence(hasRange ? range.replaceFirst("") : meaning)));
        }
        return rows;
    }

    private static boolean isOfTransport(String name) {
        return Stream.of(TransportFlag.values()).anyMatch(flag -> flag.flagName().equals(name));
    }

    private static String sentence(String text) {
        return text.substring(0, 1).toUpperCase(Locale.ROOT) + text.substring(1) + ".";
    }

    private static Row row(String name, Object initial, String range, String meaning) {
        return new Row(
                name,
                initial.toString().isEmpty() ? "empty" : initial.toString(),
                range,
                initial instanceof Boolean ? "" : unit(name),
                meaning);
    }

    private static String unit(String name) {
        return UNITS.entrySet().stream()
                .filter(entry -> name.endsWith(entry.getKey()))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse("");
    }

    /** {@return a comment in one line, without the marks of Javadoc} */
    private static String plain(String comment) {
        return comment.replaceAll("(?m)^\\s*\\*", "")
                .replaceAll("\\s+", " ")
                .replaceAll("\\{@(?:link|code|value) #?(?:\\w+\\.)?(?:\\w+#)?([^}]*)}", "`$1`")
                .strip();
    }

    static Path page() {
        return Document.ROOT.resolve("docs/guide/configuration.md");
    }

    static Path properties() {
        return Document.ROOT.resolve(
                "verbena-http/src/main/resources/io/verbena/http/flags.properties");
    }
}
