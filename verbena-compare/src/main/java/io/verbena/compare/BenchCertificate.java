// SPDX-License-Identifier: Apache-2.0

package io.verbena.compare;

import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.verbena.tools.ToolException;
import io.verbena.transport.ClientSslOptions;
import io.verbena.transport.ServerSslOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;

/**
 * The certificate that systems with TLS are measured with. It is made anew for each pair of
 * processes, which find it by a system property. Every system uses the JDK's provider, TLS 1.3 and
 * one cipher suite.
 */
final class BenchCertificate implements AutoCloseable {
    private static final String FOLDER_PROPERTY = "verbena.compare.certificate";
    private static final List<String> VERSIONS = List.of("TLSv1.3");
    private static final List<String> CIPHERS = List.of("TLS_AES_128_GCM_SHA256");

    /** Protects nothing: the files are deleted when the processes have ended. */
    private static final String PASSWORD = "measure";

    private static final String NAME = "measurements";
    private static final int LINE_LENGTH = 64;

    private final Path folder;
    private final Path certificate;
    private final Path key;

    private BenchCertificate(Path folder) {
        this.folder = folder;
        this.certificate = folder.resolve("certificate.pem");
        this.key = folder.resolve("key.pem");
    }

    static boolean isUsedBy(Contestant contestant) {
        return contestant.mode().equals("tls");
    }

    /**
     * {@return a new one, in a folder that nobody else can read}
     *
     * @throws InterruptedException if interrupted while it is made
     */
    static BenchCertificate make() throws InterruptedException {
        try {
            BenchCertificate made =
                    new BenchCertificate(Files.createTempDirectory("verbena-compare"));
            made.generate();
            return made;
        } catch (IOException | GeneralSecurityException e) {
            throw new ToolException("certificate: " + e.getMessage(), e);
        }
    }

    /** {@return the one that the parent of this process has made} */
    static BenchCertificate open() {
        return new BenchCertificate(Path.of(System.getProperty(FOLDER_PROPERTY)));
    }

    /** {@return what a process that opens it is started with} */
    String option() {
        return "-D" + FOLDER_PROPERTY + "=" + folder;
    }

    /** The JDK makes certificates by a command only. */
    private void generate() throws IOException, GeneralSecurityException, InterruptedException {
        Path store = folder.resolve("store.p12");
        List<String> command =
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                        "-genkeypair",
                        "-alias",
                        NAME,
                        "-dname",
                        "CN=" + NAME,
                        "-keyalg",
                        "EC",
                        "-groupname",
                        "secp256r1",
                        "-validity",
                        "2",
                        "-ext",
                        "SAN=dns:localhost,ip:127.0.0.1",
                        "-storetype",
                        "PKCS12",
                        "-storepass",
                        PASSWORD,
                        "-keystore",
                        store.toString());
        Process process =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start();
        if (process.waitFor() != 0) {
            throw new IOException("keytool: exit value " + process.exitValue());
        }
        KeyStore made = KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray());
        write(certificate, "CERTIFICATE", made.getCertificate(NAME).getEncoded());
        write(key, "PRIVATE KEY", made.getKey(NAME, PASSWORD.toCharArray()).getEncoded());
    }

    private static void write(Path file, String what, byte[] bytes) throws IOException {
        String text = Base64.getMimeEncoder(LINE_LENGTH, new byte[] {'\n'}).encodeToString(bytes);
        Files.writeString(
                file, "-----BEGIN " + what + "-----\n" + text + "\n-----END " + what + "-----\n");
    }

    /** Deletes it. */
    @Override
    public void close() {
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
            Files.delete(folder);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    ServerSslOptions server() {
        return ServerSslOptions.of(certificate, key).withProtocols(VERSIONS, CIPHERS);
    }

    ClientSslOptions client() {
        return ClientSslOptions.DEFAULT.withCaFile(certificate).withProtocols(VERSIONS, CIPHERS);
    }

    SslContext nettyServer() {
        return build(SslContextBuilder.forServer(certificate.toFile(), key.toFile()));
    }

    SslContext nettyClient() {
        return build(
                SslContextBuilder.forClient()
                        .trustManager(certificate.toFile())
                        .endpointIdentificationAlgorithm(null));
    }

    private static SslContext build(SslContextBuilder builder) {
        try {
            return builder.sslProvider(SslProvider.JDK)
                    .protocols(VERSIONS)
                    .ciphers(CIPHERS)
                    .build();
        } catch (SSLException e) {
            throw new ToolException("TLS: " + e.getMessage(), e);
        }
    }
}
