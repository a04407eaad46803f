// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import java.io.IOException;
import java.io.Reader;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;

/**
 * Flag values given to a program: {@code --name=value} on the command line, system properties, and
 * files with one {@code name=value} or {@code --name=value} per line, named by {@code --flagfile}.
 * The command line wins over files, and files over system properties.
 *
 * @param values by the name of the flag
 * @param rest arguments that are not flags, in their order
 */
public record FlagSource(Properties values, List<String> rest) {
    private static final String FILE = "flagfile";

    /**
     * {@return the flags given by a command line and the system properties}
     *
     * @param arguments the program's arguments
     * @throws IOException if a file cannot be read
     */
    public static FlagSource of(String... arguments) throws IOException {
        Properties values = new Properties();
        System.getProperties()
                .stringPropertyNames()
                .forEach(name -> values.setProperty(name, System.getProperty(name)));
        Properties given = new Properties();
        List<String> rest = new ArrayList<>();
        for (String argument : arguments) {
            int equal = argument.indexOf('=');
            if (argument.startsWith("--") && equal > 2) {
                given.setProperty(argument.substring(2, equal), argument.substring(equal + 1));
            } else {
                rest.add(argument);
            }
        }
        if (given.containsKey(FILE)) {
            values.putAll(read(Path.of(given.getProperty(FILE))));
            given.remove(FILE);
        }
        values.putAll(given);
        return new FlagSource(values, List.copyOf(rest));
    }

    private static Properties read(Path file) throws IOException {
        String text = Files.readString(file, StandardCharsets.UTF_8);
        Properties values = new Properties();
        try (Reader reader = new StringReader(text.replaceAll("(?m)^\\s*--", ""))) {
            values.load(reader);
        }
        return values;
    }
}
