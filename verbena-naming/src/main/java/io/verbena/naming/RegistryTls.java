// SPDX-License-Identifier: Apache-2.0
package io.verbena.naming;

import io.verbena.transport.PemContext;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import javax.net.ssl.SSLContext;

/**
 * TLS to a registry. Its address says that it is wanted, with {@code ?tls=true}; the environment
 * names the files, in PEM, under the names that the registry's own programs use.
 *
 * @param authorities the variable for the authorities; without it, those that the JDK trusts
 * @param certificate the variable for the client's certificate, which not every registry requires
 * @param key the variable for the key of that certificate
 */
public record RegistryTls(String authorities, String certificate, String key) {
    /** The parameter of an address. */
    public static final String PARAMETER = "tls";

    /**
     * {@return whether an address asks for TLS}
     *
     * @param address of a registry
     * @throws IllegalArgumentException if it says something else than true or false
     */
    public static boolean isWanted(RegistryAddress address) {
        String text = address.parameters().getOrDefault(PARAMETER, "false");
        return switch (text) {
            case "true" -> true;
            case "false" -> false;
            default ->
                    throw new IllegalArgumentException(
                            PARAMETER + ": " + text + " (expected: true or false)");
        };
    }

    /**
     * {@return the parameters that are for the registry, not for its client}
     *
     * @param address of a registry
     */
    public static Map<String, String> others(RegistryAddress address) {
        Map<String, String> others = new LinkedHashMap<>(address.parameters());
        others.remove(PARAMETER);
        return others;
    }

    /**
     * {@return what verifies the registry, and shows who this process is}
     *
     * @param environment has the variables
     * @throws IllegalArgumentException if a file cannot be used
     */
    public SSLContext context(Map<String, String> environment) {
        return PemContext.of(
                file(environment, authorities),
                file(environment, certificate),
                file(environment, key));
    }

    private static Optional<Path> file(Map<String, String> environment, String name) {
        String path = environment.getOrDefault(name, "");
        return path.isEmpty() ? Optional.empty() : Optional.of(Path.of(path));
    }
}
