// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CRL;
import java.security.cert.CRLException;
import java.security.cert.CertPathBuilder;
import java.security.cert.CertStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.CollectionCertStoreParameters;
import java.security.cert.PKIXBuilderParameters;
import java.security.cert.PKIXRevocationChecker;
import java.security.cert.PKIXRevocationChecker.Option;
import java.security.cert.X509CertSelector;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.CertPathTrustManagerParameters;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;

/** Reads the certificates of authorities, and the lists of certificates that they have revoked. */
final class TrustedAuthorities {
    private TrustedAuthorities() {}

    /**
     * {@return what verifies certificates; empty if no authorities are given}
     *
     * @param caFile a PEM file with the authorities' certificates
     * @param crlFile a PEM file with their lists; empty means that nothing is ever revoked
     * @throws IllegalArgumentException if a file cannot be used
     */
    static Optional<X509TrustManager> of(Optional<Path> caFile, Optional<Path> crlFile) {
        if (caFile.isEmpty() && crlFile.isPresent()) {
            throw new IllegalArgumentException(
                    "crl_file_path: " + crlFile.get() + " (expected: ca_file_path as well)");
        }
        return caFile.map(file -> trust(authorities(file), crlFile.map(TrustedAuthorities::lists)));
    }

    private static KeyStore authorities(Path file) {
        try (InputStream pem = Files.newInputStream(file)) {
            KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            for (Certificate authority :
                    CertificateFactory.getInstance("X.509").generateCertificates(pem)) {
                store.setCertificateEntry(Integer.toString(store.size()), authority);
            }
            if (store.size() == 0) {
                throw new CertificateException("an empty file");
            }
            return store;
        } catch (IOException | GeneralSecurityException e) {
            throw new IllegalArgumentException(
                    "ca_file_path: " + file + " (expected: certificates in PEM)", e);
        }
    }

    private static Collection<? extends CRL> lists(Path file) {
        try (InputStream pem = Files.newInputStream(file)) {
            Collection<? extends CRL> lists =
                    CertificateFactory.getInstance("X.509").generateCRLs(pem);
            if (lists.isEmpty()) {
                throw new CRLException("an empty file");
            }
            return lists;
        } catch (IOException | GeneralSecurityException e) {
            throw new IllegalArgumentException(
                    "crl_file_path: " + file + " (expected: revocation lists in PEM)", e);
        }
    }

    private static X509TrustManager trust(
            KeyStore authorities, Optional<Collection<? extends CRL>> lists) {
        try {
            TrustManagerFactory factory = TrustManagerFactory.getInstance("PKIX");
            if (lists.isEmpty()) {
                factory.init(authorities);
            } else {
                factory.init(
                        new CertPathTrustManagerParameters(checking(authorities, lists.get())));
            }
            for (TrustManager manager : factory.getTrustManagers()) {
                if (manager instanceof X509TrustManager found) {
                    return found;
                }
            }
            throw new AssertionError("PKIX: no X509TrustManager");
        } catch (GeneralSecurityException e) {
            throw new IllegalArgumentException("ca_file_path, crl_file_path: " + e.getMessage(), e);
        }
    }

    /** The lists are all there is: nothing is fetched, and an authority without a list fails. */
    private static PKIXBuilderParameters checking(
            KeyStore authorities, Collection<? extends CRL> lists) throws GeneralSecurityException {
        PKIXRevocationChecker checker =
                (PKIXRevocationChecker) CertPathBuilder.getInstance("PKIX").getRevocationChecker();
        checker.setOptions(EnumSet.of(Option.PREFER_CRLS, Option.NO_FALLBACK));
        PKIXBuilderParameters parameters =
                new PKIXBuilderParameters(authorities, new X509CertSelector());
        parameters.setCertStores(
                List.of(
                        CertStore.getInstance(
                                "Collection", new CollectionCertStoreParameters(lists))));
        parameters.addCertPathChecker(checker);
        return parameters;
    }
}
