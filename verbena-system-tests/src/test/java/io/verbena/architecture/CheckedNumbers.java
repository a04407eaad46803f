// SPDX-License-Identifier: Apache-2.0
package io.verbena.architecture;

import io.verbena.transport.Flag;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Whether numbers of documents are those of the code. A comment that readers do not see names the
 * constant, or the flag whose default it is:
 *
 * <pre>{@code
 * at most 64<!--=io.verbena.verbs.soft.Responder.MAX_FRAMES--> frames
 * }</pre>
 *
 * <p>In a fenced block such a comment would show. It stands below the block then, on a line of its
 * own, and repeats the number:
 *
 * <pre>{@code
 * <!--=8576 io.verbena.verbs.soft.RingLayout.BLOCK_BYTES-->
 * }</pre>
 *
 * <p>A unit behind the number counts: sizes are in bytes, times in nanoseconds.
 */
final class CheckedNumbers {
    private static final String MARK = "<!--=";
    private static final String NUMBER = "(\\d[\\d,]*)(?:th)?(?: (KiB|MiB|GiB|µs|ms|s))?";
    private static final Pattern IN_PROSE = Pattern.compile(NUMBER + MARK + "([\\w.$]+)-->");
    private static final Pattern BELOW_BLOCK =
            Pattern.compile(MARK + NUMBER + " ([\\w.$]+)-->\\s*");
    private static final Map<String, Long> UNITS =
            Map.of(
                    "KiB",
                    1L << 10,
                    "MiB",
                    1L << 20,
                    "GiB",
                    1L << 30,
                    "µs",
                    1_000L,
                    "ms",
                    1_000_000L,
                    "s",
                    1_000_000_000L);

    private final Document document;
    private final List<String> complaints = new ArrayList<>();
    private int checked;

    private CheckedNumbers(Document document) {
        this.document = document;
    }

    static CheckedNumbers of(Document document) {
        CheckedNumbers numbers = new CheckedNumbers(document);
        document.lines().forEach(numbers::check);
        return numbers;
    }

    /** {@return how many numbers were compared with the code} */
    int checked() {
        return checked;
    }

    /** {@return what is wrong} */
    List<String> complaints() {
        return List.copyOf(complaints);
    }

    private void check(Document.Line line) {
        int marks = count(line.text());
        if (marks == 0) {
            return;
        }
        if (line.isCode()) {
            complain(line, MARK + " in a fenced block (expected: below it)");
            return;
        }
        Matcher below = BELOW_BLOCK.matcher(line.text());
        if (below.matches()) {
            compare(line, below);
            if (!hasNumber(document.blockBefore(line), below)) {
                complain(line, text(below) + " is not in the block above");
            }
            return;
        }
        Matcher inProse = IN_PROSE.matcher(line.text());
        while (inProse.find()) {
            compare(line, inProse);
            marks--;
        }
        if (marks > 0) {
            complain(line, MARK + " without a number before it, or without a constant");
        }
    }

    private static int count(String text) {
        int count = 0;
        for (int at = text.indexOf(MARK); at >= 0; at = text.indexOf(MARK, at + 1)) {
            count++;
        }
        return count;
    }

    private static String text(Matcher match) {
        String unit = match.group(2);
        return unit == null ? match.group(1) : match.group(1) + " " + unit;
    }

    private static boolean hasNumber(String block, Matcher match) {
        String wanted = "(?<![\\d,.])" + Pattern.quote(text(match)) + "(?![\\d])";
        return Pattern.compile(wanted).matcher(block).find();
    }

    private void compare(Document.Line line, Matcher match) {
        checked++;
        String unit = match.group(2);
        long factor = unit == null ? 1 : UNITS.get(unit);
        long written = Long.parseLong(match.group(1).replace(",", "")) * factor;
        String constant = match.group(3);
        try {
            long actual = value(constant);
            if (written != actual) {
                complain(line, text(match) + " (expected: " + actual + ", " + constant + ")");
            }
        } catch (ReflectiveOperationException | IllegalArgumentException e) {
            complain(line, constant + ": " + e);
        }
    }

    private static long value(String constant) throws ReflectiveOperationException {
        int dot = constant.lastIndexOf('.');
        if (dot < 0) {
            throw new IllegalArgumentException("no constant (expected: package.Type.NAME)");
        }
        Field field =
                Class.forName(constant.substring(0, dot))
                        .getDeclaredField(constant.substring(dot + 1));
        if (!Modifier.isStatic(field.getModifiers()) || !Modifier.isFinal(field.getModifiers())) {
            throw new IllegalArgumentException("no constant (expected: static and final)");
        }
        field.setAccessible(true);
        Object value = field.get(null);
        if (value instanceof Flag flag) {
            value = flag.initialValue();
        }
        if (value instanceof Number number) {
            return number.longValue();
        }
        throw new IllegalArgumentException("value: " + value + " (expected: a number)");
    }

    private void complain(Document.Line line, String what) {
        complaints.add(document.complaint(line, what));
    }
}
