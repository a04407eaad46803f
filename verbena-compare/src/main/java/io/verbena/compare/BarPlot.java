// SPDX-License-Identifier: Apache-2.0

package io.verbena.compare;

import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A bar chart as SVG: groups of bars on a logarithmic scale, each labeled with its value.
 *
 * @param title the title
 * @param groups the names of the groups
 * @param series for each kind of bar, its name and one value per group; NaN where there is none
 */
record BarPlot(String title, List<String> groups, Map<String, List<Double>> series) {
    private static final List<String> COLORS =
            List.of(
                    "#1b6ca8", "#3fa7d6", "#59cd90", "#ee6352", "#fac05e", "#8d6a9f", "#5c946e",
                    "#a44a3f", "#7d8597", "#f29ca3", "#9c6644", "#2b2d42");
    private static final int BAR = 32;
    private static final int GAP = 34;
    private static final int LEFT = 20;
    private static final int HEAD = 72;
    private static final int HEIGHT = 260;
    private static final int LINE = 18;
    private static final int NAME = 230;
    private static final int NAMES_PER_LINE = 3;

    @Override
    public String toString() {
        int groupWidth = series.size() * BAR + GAP;
        int width = Math.max(720, LEFT * 2 + groups.size() * groupWidth);
        StringBuilder svg = new StringBuilder();
        svg.append(
                String.format(
                        Locale.ROOT,
                        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\""
                                + " font-family=\"sans-serif\" font-size=\"12\">%n"
                                + "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>%n",
                        width,
                        top() + HEIGHT + 2 * LINE));
        svg.append(text(LEFT, 24, "start", title + " (logarithmic scale)"));
        legend(svg);
        bars(svg, groupWidth);
        return svg.append("</svg>\n").toString();
    }

    /** {@return where the bars begin, below the title and the names} */
    private int top() {
        return HEAD + Math.ceilDiv(series.size(), NAMES_PER_LINE) * LINE;
    }

    private void legend(StringBuilder svg) {
        int number = 0;
        for (String name : series.keySet()) {
            int x = LEFT + number % NAMES_PER_LINE * NAME;
            int y = 36 + number / NAMES_PER_LINE * LINE;
            svg.append(rectangle(x, y, 12, 12, number++));
            svg.append(text(x + 16, y + 11, "start", name));
        }
    }

    private void bars(StringBuilder svg, int groupWidth) {
        for (int group = 0; group < groups.size(); group++) {
            int x = LEFT + group * groupWidth;
            svg.append(
                    text(
                            x + (groupWidth - GAP) / 2,
                            top() + HEIGHT + LINE,
                            "middle",
                            groups.get(group)));
            Iterator<List<Double>> values = series.values().iterator();
            for (int number = 0; values.hasNext(); number++) {
                double value = values.next().get(group);
                if (Double.isNaN(value)) {
                    continue;
                }
                int height = height(value);
                int left = x + number * BAR;
                svg.append(rectangle(left, top() + HEIGHT - height, BAR - 2, height, number));
                svg.append(
                        text(left + BAR / 2, top() + HEIGHT - height - 4, "middle", brief(value)));
            }
        }
    }

    /** {@return the height of a bar; the smallest has a tenth} */
    private int height(double value) {
        double least = extreme(true);
        double most = extreme(false);
        double share = most <= least ? 1 : Math.log10(value / least) / Math.log10(most / least);
        return (int) Math.round(HEIGHT * (0.1 + 0.9 * Math.clamp(share, 0, 1)));
    }

    private double extreme(boolean isLeast) {
        var all =
                series.values().stream()
                        .flatMap(List::stream)
                        .filter(value -> !value.isNaN())
                        .mapToDouble(value -> Math.max(value, 1e-3));
        return isLeast ? all.min().orElse(1) : all.max().orElse(1);
    }

    private static String brief(double value) {
        if (value >= 1e6) {
            return String.format(Locale.ROOT, "%.1fM", value / 1e6);
        }
        if (value >= 1e3) {
            return String.format(Locale.ROOT, value < 1e4 ? "%.1fk" : "%.0fk", value / 1e3);
        }
        return String.format(Locale.ROOT, value < 10 ? "%.1f" : "%.0f", value);
    }

    private static String rectangle(int x, int y, int width, int height, int number) {
        return String.format(
                Locale.ROOT,
                "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\"/>%n",
                x,
                y,
                width,
                height,
                COLORS.get(number % COLORS.size()));
    }

    private static String text(int x, int y, String anchor, String text) {
        return String.format(
                Locale.ROOT,
                "<text x=\"%d\" y=\"%d\" text-anchor=\"%s\">%s</text>%n",
                x,
                y,
                anchor,
                text.replace("&", "&amp;").replace("<", "&lt;"));
    }
}
