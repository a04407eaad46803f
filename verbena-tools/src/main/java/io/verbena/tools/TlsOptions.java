// SPDX-License-Identifier: Apache-2.0

package io.verbena.tools;

import io.verbena.rpc.ChannelOptions;
import io.verbena.rpc.ServerOptions;
import io.verbena.transport.ClientAuth;
import io.verbena.transport.ClientSslOptions;
import io.verbena.transport.PemContext;
import io.verbena.transport.ServerSslOptions;
import java.nio.file.Path;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** The options for TLS; for commands to mix in. */
public final class TlsOptions {
    @Spec(Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = "--tls",
            description = "Use TLS. Implied by the other options for it; see docs/tls.md.")
    private boolean isWanted;

    @Option(
            names = "--tls-ca",
            paramLabel = "FILE",
            description =
                    "The authorities that sign the peer's certificate, in PEM. Default: those that"
                            + " the JDK trusts. A server then requires certificates.")
    private Optional<Path> authorities = Optional.empty();

    @Option(
            names = "--tls-cert",
            paramLabel = "FILE",
            description = "This side's certificate, in PEM; a server needs one.")
    private Optional<Path> certificate = Optional.empty();

    @Option(
            names = "--tls-key",
            paramLabel = "FILE",
            description = "The private key of that certificate, in PEM.")
    private Optional<Path> key = Optional.empty();

    @Option(
            names = "--tls-name",
            paramLabel = "NAME",
            description = "The server's name. Default: the one in its address.")
    private Optional<String> name = Optional.empty();

    /** {@return whether TLS is used} */
    public boolean isOn() {
        return isWanted
                || authorities.isPresent()
                || certificate.isPresent()
                || key.isPresent()
                || name.isPresent();
    }

    private void check(boolean isFine, String text) {
        if (!isFine) {
            throw new ParameterException(spec.commandLine(), text);
        }
    }

    /**
     * {@return the options of a server, with TLS if that is wanted}
     *
     * @param options the options without it
     */
    public ServerOptions server(ServerOptions options) {
        if (!isOn()) {
            return options;
        }
        check(
                certificate.isPresent() && key.isPresent(),
                "--tls-cert, --tls-key: not both (expected: a certificate and its key)");
        ServerSslOptions ssl =
                ServerSslOptions.of(certificate.get(), key.get()).withPlainRefused(true);
        return options.withSslOptions(
                authorities.map(file -> ssl.withClientAuth(ClientAuth.REQUIRED, file)).orElse(ssl));
    }

    /**
     * {@return the options of a channel, with TLS if that is wanted}
     *
     * @param options the options without it
     */
    public ChannelOptions channel(ChannelOptions options) {
        return isOn() ? options.withSslOptions(client()) : options;
    }

    private ClientSslOptions client() {
        check(
                certificate.isPresent() == key.isPresent(),
                "--tls-cert, --tls-key: one alone (expected: both or neither)");
        ClientSslOptions ssl = ClientSslOptions.DEFAULT;
        if (authorities.isPresent()) {
            ssl = ssl.withCaFile(authorities.get());
        }
        if (certificate.isPresent()) {
            ssl = ssl.withClientCert(certificate.get(), key.get());
        }
        return name.isPresent() ? ssl.withSniName(name.get()) : ssl;
    }

    /** {@return what the JDK's HTTP client needs for the same; empty without TLS} */
    public Optional<SSLContext> context() {
        if (!isOn()) {
            return Optional.empty();
        }
        try {
            return Optional.of(PemContext.of(authorities, certificate, key));
        } catch (IllegalArgumentException e) {
            throw new ToolException(e.getMessage(), e);
        }
    }
}
