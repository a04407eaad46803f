// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Restores arguments that the JVM could not decode. In a locale without UTF-8 it replaces every
 * non-ASCII byte with a replacement character; Linux still has the bytes.
 */
final class Arguments {
    private static final Path COMMAND_LINE = Path.of("/proc/self/cmdline");
    private static final char REPLACEMENT = '\uFFFD';

    private Arguments() {}

    static String[] restore(String[] args) {
        if (Arrays.stream(args).noneMatch(arg -> arg.indexOf(REPLACEMENT) >= 0)) {
            return args;
        }
        try {
            return restore(args, Files.readAllBytes(COMMAND_LINE));
        } catch (IOException _) {
            // Not Linux: the arguments stay as the JVM decoded them.
            return args;
        }
    }

    /**
     * {@return the arguments, decoded from the end of a command line}
     *
     * @param args as the JVM decoded them
     * @param commandLine the command line of the process, each word followed by a NUL
     */
    static String[] restore(String[] args, byte[] commandLine) {
        String[] words = new String(commandLine, StandardCharsets.UTF_8).split("\0", -1);
        // One empty word follows the last NUL.
        int first = words.length - 1 - args.length;
        return first < 1 ? args : Arrays.copyOfRange(words, first, words.length - 1);
    }
}
