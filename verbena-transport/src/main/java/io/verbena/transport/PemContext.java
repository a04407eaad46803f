// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Collection;
import java.util.Optional;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;

/** Makes the JDK's TLS context from PEM files, for clients that do not use this transport. */
public final class PemContext {
    private static final char[] NO_PASSWORD = {};

    private PemContext() {}

    /**
     * {@return a context}
     *
     * @param authorities who signs the peer's certificate; empty means those that the JDK trusts
     * @param certificate the own one, if there is one
     * @param key its private key, in PKCS #8
     * @throws IllegalArgumentException if a file cannot be used
     */
    public static SSLContext of(
            Optional<Path> authorities, Optional<Path> certificate, Optional<Path> key) {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(
                    certificate.isPresent() && key.isPresent()
                            ? keys(certificate.get(), key.get()).getKeyManagers()
                            : null,
                    TrustedAuthorities.of(authorities, Optional.empty())
                            .map(trust -> new TrustManager[] {trust})
                            .orElse(null),
                    null);
            return context;
        } catch (IOException | GeneralSecurityException e) {
            throw new IllegalArgumentException(
                    "TLS: " + e.getMessage() + " (expected: PEM files)", e);
        }
    }

    private static KeyManagerFactory keys(Path certificate, Path key)
            throws IOException, GeneralSecurityException {
        Certificate[] chain = certificates(certificate).toArray(Certificate[]::new);
        if (chain.length == 0) {
            throw new IllegalArgumentException(certificate + " has no certificate");
        }
        KeyStore store = emptyStore();
        store.setKeyEntry(
                "own", privateKey(key, chain[0].getPublicKey().getAlgorithm()), NO_PASSWORD, chain);
        KeyManagerFactory factory =
                KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(store, NO_PASSWORD);
        return factory;
    }

    private static KeyStore emptyStore() throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, NO_PASSWORD);
        return store;
    }

    private static Collection<? extends Certificate> certificates(Path file)
            throws IOException, GeneralSecurityException {
        return CertificateFactory.getInstance("X.509")
                .generateCertificates(new ByteArrayInputStream(Files.readAllBytes(file)));
    }

    private static PrivateKey privateKey(Path file, String algorithm)
            throws IOException, GeneralSecurityException {
        String body =
                Files.readString(file, StandardCharsets.US_ASCII)
                        .replaceAll("-----(BEGIN|END) PRIVATE KEY-----", "");
        return KeyFactory.getInstance(algorithm)
                .generatePrivate(new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(body)));
    }
}
