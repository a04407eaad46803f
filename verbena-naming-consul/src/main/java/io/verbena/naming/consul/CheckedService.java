// SPDX-License-Identifier: Apache-2.0
package io.verbena.naming.consul;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.verbena.naming.RenewedRegistration;
import io.verbena.naming.RestClient;
import io.verbena.naming.ServerText;
import io.verbena.rpc.spi.ServerNode;
import java.io.IOException;
import java.time.Duration;

/** A service of an agent with a check that fails unless it is renewed. */
final class CheckedService implements RenewedRegistration.Announcement {
    /** Between two renewals. */
    static final Duration INTERVAL = Duration.ofSeconds(3);

    /** After that time without renewal, Consul no longer lists the server. */
    private static final String LISTED_FOR = "10s";

    /** The shortest that Consul allows: after that time, it forgets the server. */
    private static final String KNOWN_FOR = "1m";

    private final RestClient client;
    private final String id;
    private final String definition;

    CheckedService(RestClient client, String service, ServerNode server) {
        this.client = client;
        this.id = service + "-" + ServerText.address(server);
        this.definition = definition(id, service, server).toString();
    }

    private static JsonObject definition(String id, String service, ServerNode server) {
        JsonObject check = new JsonObject();
        check.addProperty("CheckID", "service:" + id);
        check.addProperty("TTL", LISTED_FOR);
        check.addProperty("Status", "passing");
        check.addProperty("DeregisterCriticalServiceAfter", KNOWN_FOR);
        JsonObject weights = new JsonObject();
        weights.addProperty("Passing", server.weight());
        weights.addProperty("Warning", server.weight());
        JsonArray tags = new JsonArray();
        if (!server.tag().isEmpty()) {
            tags.add(server.tag());
        }
        JsonObject definition = new JsonObject();
        definition.addProperty("ID", id);
        definition.addProperty("Name", service);
        definition.addProperty("Address", ServerText.host(server));
        definition.addProperty("Port", server.address().getPort());
        definition.add("Tags", tags);
        definition.add("Weights", weights);
        definition.add("Check", check);
        return definition;
    }

    @Override
    public void announce() throws IOException, InterruptedException {
        put("/v1/agent/service/register", definition);
    }

    /** An agent that does not know the check answers 404, or 500 before Consul 1.11. */
    @Override
    public void renew() throws IOException, InterruptedException {
        put("/v1/agent/check/pass/" + RestClient.encoded("service:" + id), "");
    }

    @Override
    public void withdraw() throws IOException, InterruptedException {
        put("/v1/agent/service/deregister/" + RestClient.encoded(id), "");
    }

    private void put(String path, String body) throws IOException, InterruptedException {
        client.send("PUT", path, body, RestClient.LIMIT);
    }

    @Override
    public int members() {
        return client.members();
    }

    @Override
    public void close() {
        client.close();
    }
}
