// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.verbs;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Whose memory the messages lie in. */
public enum MemoryKind {
    /** Memory the device allocated, which it moves fastest. */
    DEVICE,
    /** Memory of the program, registered. */
    USER;

    /** Reads the names as they are written on the command line. */
    static final class Converter implements ITypeConverter<MemoryKind> {
        @Override
        public MemoryKind convert(String name) {
            return switch (name) {
                case "device" -> DEVICE;
                case "user" -> USER;
                default ->
                        throw new TypeConversionException(
                                "memory: " + name + " (expected: device or user)");
            };
        }
    }
}
