// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.bench;

import picocli.CommandLine.ITypeConverter;

/** Reads a size that may also be 0 for never, or -1 for the default. */
final class InlineSize implements ITypeConverter<Integer> {
    @Override
    public Integer convert(String text) {
        return text.equals("0") || text.equals("-1")
                ? Integer.valueOf(text)
                : new ByteSize().convert(text);
    }
}
