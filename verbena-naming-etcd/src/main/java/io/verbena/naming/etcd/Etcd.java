// SPDX-License-Identifier: Apache-2.0
package io.verbena.naming.etcd;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.verbena.naming.RestClient;
import io.verbena.naming.RestLines;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * The requests that are needed, in etcd's JSON: keys and values are in Base64, and 64-bit numbers
 * are text. A number that is 0 is left out by etcd. For one thread at a time.
 */
final class Etcd implements AutoCloseable {
    private static final int UNAUTHENTICATED = 401;

    private final RestClient client;
    private final EtcdUser user;
    private boolean hasToken;

    Etcd(RestClient client, EtcdUser user) {
        this.client = client;
        this.user = user;
    }

    JsonObject range(String prefix) throws IOException, InterruptedException {
        return post("/v3/kv/range", keys(prefix));
    }

    boolean has(String key) throws IOException, InterruptedException {
        JsonObject request = new JsonObject();
        request.addProperty("key", encoded(key));
        request.addProperty("count_only", true);
        return number(post("/v3/kv/range", request), "count") > 0;
    }

    /** {@return changes from a revision on} */
    RestLines watch(String prefix, long revision) {
        // a range came before it, so there is a token
        JsonObject create = keys(prefix);
        create.addProperty("start_revision", Long.toString(revision));
        JsonObject request = new JsonObject();
        request.add("create_request", create);
        return client.post("/v3/watch", request.toString());
    }

    void put(String key, String value, long lease) throws IOException, InterruptedException {
        JsonObject request = new JsonObject();
        request.addProperty("key", encoded(key));
        request.addProperty("value", encoded(value));
        request.addProperty("lease", Long.toString(lease));
        post("/v3/kv/put", request);
    }

    long grant(long seconds) throws IOException, InterruptedException {
        JsonObject request = new JsonObject();
        request.addProperty("TTL", Long.toString(seconds));
        return number(post("/v3/lease/grant", request), "ID");
    }

    /** {@return whether the lease still existed} */
    boolean isKeptAlive(long lease) throws IOException, InterruptedException {
        JsonObject result = post("/v3/lease/keepalive", ofLease(lease)).getAsJsonObject("result");
        return result != null && number(result, "TTL") > 0;
    }

    void revoke(long lease) throws IOException, InterruptedException {
        post("/v3/lease/revoke", ofLease(lease));
    }

    private static JsonObject ofLease(long lease) {
        JsonObject request = new JsonObject();
        request.addProperty("ID", Long.toString(lease));
        return request;
    }

    private static JsonObject keys(String prefix) {
        JsonObject request = new JsonObject();
        request.addProperty("key", encoded(prefix));
        request.addProperty("range_end", encoded(endOf(prefix)));
        return request;
    }

    private JsonObject post(String path, JsonObject request)
            throws IOException, InterruptedException {
        if (user.isNobody()) {
            return send(path, request);
        }
        if (!hasToken) {
            authenticate();
        }
        try {
            return send(path, request);
        } catch (RestClient.StatusException e) {
            if (e.status() != UNAUTHENTICATED) {
                throw e;
            }
            // tokens end after some minutes, or when etcd was started again
            hasToken = false;
            authenticate();
            return send(path, request);
        }
    }

    private void authenticate() throws IOException, InterruptedException {
        JsonObject request = new JsonObject();
        request.addProperty("name", user.name());
        request.addProperty("password", user.password());
        JsonObject answer = send("/v3/auth/authenticate", request);
        client.setHeader("Authorization", answer.get("token").getAsString());
        hasToken = true;
    }

    private JsonObject send(String path, JsonObject request)
            throws IOException, InterruptedException {
        return client.send("POST", path, request.toString(), RestClient.LIMIT)
                .json()
                .getAsJsonObject();
    }

    /** {@return the first key after all that begin with a prefix, which ends with a slash} */
    static String endOf(String prefix) {
        int last = prefix.length() - 1;
        return prefix.substring(0, last) + (char) (prefix.charAt(last) + 1);
    }

    private static String encoded(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    /** {@return a text; empty if it is left out} */
    static String decoded(JsonObject from, String key) {
        JsonElement text = from.get(key);
        return text == null
                ? ""
                : new String(
                        Base64.getDecoder().decode(text.getAsString()), StandardCharsets.UTF_8);
    }

    /** {@return a number; 0 if it is left out} */
    static long number(JsonObject from, String key) {
        JsonElement number = from.get(key);
        return number == null ? 0 : number.getAsLong();
    }

    int members() {
        return client.members();
    }

    @Override
    public void close() {
        client.close();
    }
}
