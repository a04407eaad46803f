// SPDX-License-Identifier: Apache-2.0
package io.verbena.naming.consul;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.verbena.naming.ListedServers;
import io.verbena.naming.RegistryAddress;
import io.verbena.naming.RegistryTls;
import io.verbena.naming.RestClient;
import io.verbena.naming.ServerText;
import io.verbena.rpc.spi.PollingWatch;
import io.verbena.rpc.spi.ServerEntry;
import io.verbena.rpc.spi.ServerNode;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Blocking queries: each waits until the list is newer than the index of the answer before, or for
 * a while. For the thread of a watch.
 */
final class ConsulLookup implements PollingWatch.Lookup {
    private static final String INDEX = "X-Consul-Index";
    private static final long WAIT_SECONDS = 10;

    /** Consul adds up to a sixteenth to the wait. */
    private static final Duration LIMIT =
            RestClient.LIMIT.plusSeconds(WAIT_SECONDS + WAIT_SECONDS / 16 + 1);

    /** Before the next question, if an answer has no index to wait for. */
    private static final long PAUSE_MS = 1000;

    private final RestClient client;
    private final RegistryAddress address;
    private final ListedServers listed = new ListedServers();

    /** 0 asks for an answer at once. */
    private long index;

    private boolean isPolled;

    private List<ServerNode> servers = List.of();

    ConsulLookup(RestClient client, RegistryAddress address) {
        this.client = client;
        this.address = address;
    }

    @Override
    public List<ServerNode> find() throws IOException, InterruptedException {
        long asked = index;
        // stays 0 if there is no answer
        index = 0;
        if (isPolled) {
            Thread.sleep(PAUSE_MS);
        }
        RestClient.Reply reply =
                client.send("GET", path(asked), "", asked == 0 ? RestClient.LIMIT : LIMIT);
        long answered = reply.headers().firstValueAsLong(INDEX).orElse(0);
        // Consul's documentation asks for that: an index of 0 would be a question without a wait
        isPolled = answered <= 0;
        if (answered != asked || asked == 0) {
            servers = listed.resolve(reply.read(list -> entries(list.getAsJsonArray())));
        }
        // an index that goes back means that Consul has lost its state: ask for everything
        index = answered < asked ? 0 : answered;
        return servers;
    }

    private String path(long asked) {
        Map<String, String> query = new LinkedHashMap<>();
        query.put("passing", "true");
        query.putAll(RegistryTls.others(address));
        if (asked > 0) {
            query.put("index", Long.toString(asked));
            query.put("wait", WAIT_SECONDS + "s");
        }
        return "/v1/health/service/"
                + RestClient.encoded(address.path())
                + "?stale&"
                + RestClient.query(query);
    }

    private static List<ServerEntry> entries(JsonArray list) {
        List<ServerEntry> entries = new ArrayList<>(list.size());
        for (JsonElement each : list) {
            JsonObject service = each.getAsJsonObject().getAsJsonObject("Service");
            String host = text(service, "Address");
            entries.add(
                    new ServerEntry(
                            host.isEmpty()
                                    ? text(
                                            each.getAsJsonObject().getAsJsonObject("Node"),
                                            "Address")
                                    : host,
                            service.get("Port").getAsInt(),
                            ServerText.withWeight(tag(service), weight(service))));
        }
        return entries;
    }

    private static String text(JsonObject from, String key) {
        JsonElement text = from == null ? null : from.get(key);
        return text == null || text.isJsonNull() ? "" : text.getAsString();
    }

    /** {@return the first tag, as in brpc} */
    private static String tag(JsonObject service) {
        JsonElement tags = service.get("Tags");
        return tags == null || tags.isJsonNull() || tags.getAsJsonArray().isEmpty()
                ? ""
                : tags.getAsJsonArray().get(0).getAsString();
    }

    private static int weight(JsonObject service) {
        JsonElement weights = service.get("Weights");
        int passing =
                weights == null || weights.isJsonNull()
                        ? ServerNode.DEFAULT_WEIGHT
                        : weights.getAsJsonObject().get("Passing").getAsInt();
        return Math.clamp(passing, ServerNode.DEFAULT_WEIGHT, ServerNode.MAX_WEIGHT);
    }
}
