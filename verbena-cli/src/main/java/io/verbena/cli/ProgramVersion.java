// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;
import picocli.CommandLine.IVersionProvider;

/** What {@code --version} prints: this program's version and the Java that runs it. */
final class ProgramVersion implements IVersionProvider {
    @Override
    public String[] getVersion() {
        return new String[] {"verbena " + projectVersion(), "java " + Runtime.version()};
    }

    private static String projectVersion() {
        Properties properties = new Properties();
        try (InputStream in = ProgramVersion.class.getResourceAsStream("version.properties")) {
            properties.load(in);
        } catch (IOException e) {
            throw new UncheckedIOException("version.properties", e);
        }
        return properties.getProperty("version");
    }
}
