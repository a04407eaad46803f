// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a port number, for commands to use in their options. */
public final class PortConverter implements ITypeConverter<Integer> {
    private static final int MAX_PORT = 65535;

    @Override
    public Integer convert(String value) {
        try {
            int port = Integer.parseInt(value);
            if (port >= 0 && port <= MAX_PORT) {
                return port;
            }
        } catch (NumberFormatException e) {
            throw wrong(value, e);
        }
        throw wrong(value, null);
    }

    private static TypeConversionException wrong(String value, Throwable cause) {
        TypeConversionException failure =
                new TypeConversionException("'" + value + "' (expected: 0.." + MAX_PORT + ")");
        failure.initCause(cause);
        return failure;
    }
}
