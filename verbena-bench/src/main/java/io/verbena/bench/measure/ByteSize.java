// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.measure;

import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses sizes in bytes such as {@code 64}, {@code 8k} and {@code 1m}, in powers of two. */
public final class ByteSize implements ITypeConverter<Integer> {
    private static final long MAX = 1L << 30;

    @Override
    public Integer convert(String text) {
        String lower = text.toLowerCase(Locale.ROOT);
        int shift = lower.endsWith("k") ? 10 : lower.endsWith("m") ? 20 : 0;
        String digits = shift == 0 ? lower : lower.substring(0, lower.length() - 1);
        if (!digits.matches("\\d{1,10}")) {
            throw wrong(text);
        }
        long bytes = Long.parseLong(digits) << shift;
        if (bytes < 1 || bytes > MAX) {
            throw wrong(text);
        }
        return (int) bytes;
    }

    private static TypeConversionException wrong(String text) {
        return new TypeConversionException(
                "size: "
                        + text
                        + " (expected: bytes from 1 to 1024m, with k or m for powers of two)");
    }
}
