// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import javax.net.ssl.TrustManagerFactory;

/** Reads the certificates of authorities. */
final class TrustedAuthorities {
    private TrustedAuthorities() {}

    /**
     * {@return what verifies certificates that the authorities in a PEM file have signed}
     *
     * @throws IllegalArgumentException if the file cannot be used
     */
    static TrustManagerFactory of(Path file) {
        try (InputStream pem = Files.newInputStream(file)) {
            KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            for (Certificate authority :
                    CertificateFactory.getInstance("X.509").generateCertificates(pem)) {
                store.setCertificateEntry(Integer.toString(store.size()), authority);
            }
            if (store.size() == 0) {
                throw new IllegalArgumentException(
                        "ca_file_path: " + file + " (expected: certificates in PEM)");
            }
            TrustManagerFactory factory =
                    TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            factory.init(store);
            return factory;
        } catch (IOException | GeneralSecurityException e) {
            throw new IllegalArgumentException(
                    "ca_file_path: " + file + " (expected: certificates in PEM)", e);
        }
    }
}
