// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What a request asks for.
 *
 * @param path the decoded path; begins with a slash, or is a single asterisk
 * @param query names and values, decoded; the last value of a repeated name
 */
record HttpTarget(String path, Map<String, String> query) {
    private static final int HEX = 16;

    /**
     * {@return a target}
     *
     * @param text the target as received: visible ASCII without spaces
     * @throws RefusedRequestException if it is malformed
     */
    static HttpTarget parse(String text) throws RefusedRequestException {
        if (text.equals("*")) {
            return new HttpTarget(text, Map.of());
        }
        String local = withoutHost(text);
        if (!local.startsWith("/") || local.indexOf('#') >= 0) {
            throw RefusedRequestException.bad("target: neither a path nor an http URL");
        }
        int mark = local.indexOf('?');
        if (mark < 0) {
            return new HttpTarget(decode(local, false), Map.of());
        }
        return new HttpTarget(
                decode(local.substring(0, mark), false), query(local.substring(mark + 1)));
    }

    /** Clients send absolute addresses to proxies, but servers must accept them as well. */
    private static String withoutHost(String text) {
        for (String scheme : new String[] {"http://", "https://"}) {
            if (text.regionMatches(true, 0, scheme, 0, scheme.length())) {
                int end = scheme.length();
                while (end < text.length() && "/?".indexOf(text.charAt(end)) < 0) {
                    end++;
                }
                String rest = text.substring(end);
                return rest.startsWith("/") ? rest : "/" + rest;
            }
        }
        return text;
    }

    private static Map<String, String> query(String text) throws RefusedRequestException {
        Map<String, String> query = new LinkedHashMap<>();
        for (String pair : text.split("&", -1)) {
            int equals = pair.indexOf('=');
            if (equals >= 0) {
                query.put(
                        decode(pair.substring(0, equals), true),
                        decode(pair.substring(equals + 1), true));
            } else if (!pair.isEmpty()) {
                query.put(decode(pair, true), "");
            }
        }
        return query;
    }

    private static String decode(String text, boolean isPlusSpace) throws RefusedRequestException {
        if (text.indexOf('%') < 0) {
            return isPlusSpace ? text.replace('+', ' ') : text;
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(text.length());
        for (int i = 0; i < text.length(); i++) {
            char next = text.charAt(i);
            if (next == '%') {
                bytes.write(hex(text, i + 1) * HEX + hex(text, i + 2));
                i += 2;
            } else {
                bytes.write(isPlusSpace && next == '+' ? ' ' : next);
            }
        }
        return visible(bytes.toByteArray());
    }

    private static int hex(String text, int at) throws RefusedRequestException {
        int digit = at < text.length() ? Character.digit(text.charAt(at), HEX) : -1;
        if (digit < 0) {
            throw RefusedRequestException.bad("target: a percent sign without two digits");
        }
        return digit;
    }

    private static String visible(byte[] bytes) throws RefusedRequestException {
        try {
            String text =
                    StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
            if (text.chars().noneMatch(Character::isISOControl)) {
                return text;
            }
        } catch (CharacterCodingException e) {
            throw RefusedRequestException.bad("target: not UTF-8");
        }
        throw RefusedRequestException.bad("target: control characters");
    }

    /**
     * {@return the same with the names and values of a form, in the encoding of a query}
     *
     * @throws RefusedRequestException if it is malformed
     */
    HttpTarget withForm(String form) throws RefusedRequestException {
        if (form.isEmpty()) {
            return this;
        }
        Map<String, String> all = new LinkedHashMap<>(query);
        all.putAll(query(form));
        return new HttpTarget(path, all);
    }

    /** {@return a value of the query} */
    Optional<String> parameter(String name) {
        return Optional.ofNullable(query.get(name));
    }

    /** {@return the path alone, for logs: a query may contain secrets} */
    @Override
    public String toString() {
        return path;
    }
}
