// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Properties;

/**
 * What each flag means, and its unit. The texts are the flags' Javadoc, which is not there at run
 * time: a test of the documents writes them to a file, and checks that it is up to date.
 */
final class FlagMeanings {
    private static final Properties TEXTS = read();

    private FlagMeanings() {}

    /** {@return the unit of a flag, or an empty text if it has none} */
    static String unit(String flag) {
        return TEXTS.getProperty(flag + ".unit", "");
    }

    /** {@return what a flag means, in a sentence or two} */
    static String meaning(String flag) {
        return TEXTS.getProperty(flag + ".meaning", "");
    }

    private static Properties read() {
        Properties texts = new Properties();
        try (InputStream file = FlagMeanings.class.getResourceAsStream("flags.properties")) {
            Objects.requireNonNull(file, "flags.properties");
            texts.load(new InputStreamReader(file, StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return texts;
    }
}
