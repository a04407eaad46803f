// SPDX-License-Identifier: Apache-2.0
package io.verbena.naming.nacos;

import com.google.gson.JsonObject;
import io.verbena.naming.RestClient;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;

/** Requests to Nacos, with a token if it wants one. For one thread at a time. */
final class Nacos implements AutoCloseable {
    private static final String ROOT = "/nacos/v1/";

    private final RestClient client;
    private final String user;
    private final String password;

    /** Empty if there is none. */
    private String token = "";

    Nacos(RestClient client, String user, String password) {
        this.client = client;
        this.user = user;
        this.password = password;
    }

    /**
     * {@return the answer}
     *
     * @param parameters those that are empty are left out
     */
    RestClient.Reply send(String method, String path, Map<String, String> parameters)
            throws IOException, InterruptedException {
        if (token.isEmpty() && !user.isEmpty()) {
            token = login();
        }
        Map<String, String> query = new LinkedHashMap<>(parameters);
        query.put("accessToken", token);
        try {
            return get(method, path, query);
        } catch (IOException e) {
            // tokens end; if this was not the reason, a new one does no harm
            token = "";
            throw e;
        }
    }

    private String login() throws IOException, InterruptedException {
        JsonObject answer =
                get("POST", "auth/login", Map.of("username", user, "password", password))
                        .json()
                        .getAsJsonObject();
        return answer.get("accessToken").getAsString();
    }

    private RestClient.Reply get(String method, String path, Map<String, String> query)
            throws IOException, InterruptedException {
        return client.send(
                method, ROOT + path + "?" + RestClient.query(query), "", RestClient.LIMIT);
    }

    int members() {
        return client.members();
    }

    @Override
    public void close() {
        client.close();
    }
}
