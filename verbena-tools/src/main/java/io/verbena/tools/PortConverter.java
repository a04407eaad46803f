// SPDX-License-Identifier: Apache-2.0

package io.verbena.tools;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses a port number, for the options of commands. */
public final class PortConverter implements ITypeConverter<Integer> {
    private static final int MAX_PORT = 65535;

    @Override
    public Integer convert(String value) {
        if (value.matches("\\d{1,5}") && Integer.parseInt(value) <= MAX_PORT) {
            return Integer.valueOf(value);
        }
        throw new TypeConversionException("'" + value + "' (expected: 0.." + MAX_PORT + ")");
    }
}
