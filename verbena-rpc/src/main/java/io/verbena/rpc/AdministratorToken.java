// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Set;

/**
 * A secret in a file that only the user of the server's process can read. It proves that a client
 * is that user on this host. Any thread.
 */
final class AdministratorToken {
    private static final int RANDOM_BYTES = 32;
    private static final int LEAST_BYTES = 16;
    private static final Set<PosixFilePermission> OWNER_ONLY =
            Set.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);
    private static final String BEARER = "Bearer ";
    private static final String BASIC = "Basic ";

    private final byte[] token;

    private AdministratorToken(byte[] token) {
        this.token = token;
    }

    /**
     * {@return the token of a file} Makes the file if there is none.
     *
     * @throws IllegalArgumentException if others can read the file, or it has no token
     * @throws UncheckedIOException if it can be neither read nor written
     */
    static AdministratorToken of(Path file) {
        try {
            return create(file);
        } catch (FileAlreadyExistsException e) {
            return read(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static AdministratorToken create(Path file) throws IOException {
        byte[] random = new byte[RANDOM_BYTES];
        new SecureRandom().nextBytes(random);
        String text = Base64.getUrlEncoder().withoutPadding().encodeToString(random);
        // nobody else can open it, not even between the two steps
        Files.createFile(file, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
        Files.writeString(file, text + "\n", StandardCharsets.US_ASCII);
        return new AdministratorToken(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static AdministratorToken read(Path file) {
        try {
            Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(file);
            Options.require(
                    OWNER_ONLY.containsAll(permissions),
                    "permissions of " + file,
                    PosixFilePermissions.toString(permissions),
                    PosixFilePermissions.toString(OWNER_ONLY));
            String text = Files.readString(file, StandardCharsets.US_ASCII).strip();
            Options.require(
                    text.length() >= LEAST_BYTES,
                    "token in " + file,
                    text.length() + " characters",
                    "at least " + LEAST_BYTES);
            return new AdministratorToken(text.getBytes(StandardCharsets.US_ASCII));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * {@return whether a credential is this token: {@code Bearer TOKEN}, or {@code Basic} with the
     * token as the password, which is how a browser sends it}
     */
    boolean matches(byte[] credential) {
        String text = new String(credential, StandardCharsets.ISO_8859_1);
        if (text.regionMatches(true, 0, BEARER, 0, BEARER.length())) {
            return isToken(text.substring(BEARER.length()).strip());
        }
        return text.regionMatches(true, 0, BASIC, 0, BASIC.length())
                && isToken(password(text.substring(BASIC.length()).strip()));
    }

    private static String password(String encoded) {
        try {
            String pair =
                    new String(Base64.getDecoder().decode(encoded), StandardCharsets.ISO_8859_1);
            return pair.substring(pair.indexOf(':') + 1);
        } catch (IllegalArgumentException e) {
            return "";
        }
    }

    /** The time this takes says nothing about how much of the text is right. */
    private boolean isToken(String text) {
        return MessageDigest.isEqual(token, text.getBytes(StandardCharsets.ISO_8859_1));
    }
}
