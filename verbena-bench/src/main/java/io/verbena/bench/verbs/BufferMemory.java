// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.verbs;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** What memory holds the messages. */
public enum BufferMemory {
    /** Memory allocated by the device, which is the fastest. */
    DEVICE,
    /** The program's own memory, registered. */
    USER;

    /** Parses the names used on the command line. */
    static final class Converter implements ITypeConverter<BufferMemory> {
        @Override
        public BufferMemory convert(String name) {
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
