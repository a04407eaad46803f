// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

import java.nio.file.Path;
import java.util.List;

/**
 * A certificate and its key; brpc's {@code CertInfo}.
 *
 * @param certificate a PEM file with the certificate, followed by those between it and the root
 * @param privateKey a PEM file with the key, as PKCS#8 and without a password
 * @param sniFilters the host names it is for, such as {@code *.example.com}; empty means those that
 *     nobody else is for
 */
public record CertificateFiles(Path certificate, Path privateKey, List<String> sniFilters) {
    /** Copies the list. */
    public CertificateFiles {
        sniFilters = List.copyOf(sniFilters);
    }

    /**
     * {@return a certificate for all names}
     *
     * @param certificate a PEM file with the certificate
     * @param privateKey a PEM file with its key
     */
    public static CertificateFiles of(Path certificate, Path privateKey) {
        return new CertificateFiles(certificate, privateKey, List.of());
    }
}
