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
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The tables of docs/guide/configuration.md: names, defaults and limits from the classes, meanings
 * from the comments of their sources.
 */
final class FlagTable {
    private static final String HEAD =
            "| flag | default | range | unit | meaning |\n| --- | --- | --- | --- | --- |\n";

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
                            Map.entry("_sq_size", "requests"),
                            Map.entry("_rq_size", "requests"),
                            Map.entry("_qp_size", "requests"),
                            Map.entry("_pool_size", "connections")));

    private FlagTable() {}

    static String ofTransport() throws IOException {
        return ofEnum(
                TransportFlag.values(),
                "verbena-transport/src/main/java/io/verbena/transport/TransportFlag.java");
    }

    static String ofRpc() throws IOException {
        return ofEnum(RpcFlag.values(), "verbena-rpc/src/main/java/io/verbena/rpc/RpcFlag.java");
    }

    private static String ofEnum(Flag[] flags, String path) throws IOException {
        String source = Files.readString(Document.ROOT.resolve(path));
        StringBuilder table = new StringBuilder(HEAD);
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
            table.append(
                    row(
                            flag.flagName(),
                            flag.initialValue(),
                            isNumber ? range(flag.setting()) : "",
                            plain(comment.group(1))));
        }
        return table.toString();
    }

    private static String range(Flag.Setting setting) {
        boolean isOpen = setting.most() >= Integer.MAX_VALUE;
        return isOpen ? "from " + setting.least() : setting.least() + " to " + setting.most();
    }

    /** The settings of a record, whose comments begin with the name of the flag. */
    static String ofPool() throws IOException, ReflectiveOperationException {
        String source =
                Files.readString(
                        Document.ROOT.resolve(
                                "verbena-memory/src/main/java/io/verbena/memory/"
                                        + "BlockPoolOptions.java"));
        StringBuilder table = new StringBuilder(HEAD);
        int number = 0;
        for (RecordComponent component : BlockPoolOptions.class.getRecordComponents()) {
            String name = BlockPoolOptions.FLAGS.get(number++);
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
            Matcher range = Pattern.compile(", (?:in MiB, )?(\\d+ to \\d+)$").matcher(meaning);
            boolean hasRange = range.find();
            table.append(
                    row(
                            name,
                            initial instanceof Duration time
                                    ? time.toSeconds()
                                    : initial.toString().toLowerCase(Locale.ROOT),
                            hasRange ? range.group(1) : "",
                            hasRange ? meaning.substring(0, range.start()) : meaning));
        }
        return table.toString();
    }

    private static String row(String name, Object initial, String range, String meaning) {
        return String.format(
                Locale.ROOT,
                "| `%s` | %s | %s | %s | %s |\n",
                name,
                initial.toString().isEmpty() ? "empty" : initial,
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
                .replaceAll("\\{@(?:link|code|value) #?(?:\\w+\\.)?(?:\\w+#)?([^}]*)}", "`$1`")
                .replaceAll("\\s+", " ")
                .strip();
    }

    static Path page() {
        return Document.ROOT.resolve("docs/guide/configuration.md");
    }
}
