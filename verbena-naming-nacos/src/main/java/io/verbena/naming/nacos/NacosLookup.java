// SPDX-License-Identifier: Apache-2.0
package io.verbena.naming.nacos;

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
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Asks for the list as often as Nacos says. For the thread of a watch. */
final class NacosLookup implements PollingWatch.Lookup {
    private static final long LEAST_PAUSE_MS = 500;
    private static final long MOST_PAUSE_MS = 10_000;

    private final Nacos nacos;
    private final Map<String, String> query = new LinkedHashMap<>();
    private final ListedServers listed = new ListedServers();

    /** How long the last list is to be used; 0 if there is none, or there was a failure. */
    private long pauseMs;

    private List<ServerEntry> entries = List.of();
    private List<ServerNode> servers = List.of();

    NacosLookup(Nacos nacos, RegistryAddress address) {
        this.nacos = nacos;
        query.put("serviceName", address.path());
        query.put("healthyOnly", "true");
        query.putAll(RegistryTls.others(address));
    }

    @Override
    public List<ServerNode> find() throws IOException, InterruptedException {
        long pause = pauseMs;
        // stays 0 if there is no answer
        pauseMs = 0;
        Thread.sleep(pause);
        RestClient.Reply reply = nacos.send("GET", "ns/instance/list", query);
        List<ServerEntry> found = reply.read(NacosLookup::usable);
        if (pause == 0 || !found.equals(entries)) {
            entries = found;
            servers = listed.resolve(found);
        }
        pauseMs = Math.clamp(reply.read(NacosLookup::cachedForMs), LEAST_PAUSE_MS, MOST_PAUSE_MS);
        return servers;
    }

    private static List<ServerEntry> usable(JsonElement list) {
        List<ServerEntry> found = new ArrayList<>();
        list.getAsJsonObject()
                .getAsJsonArray("hosts")
                .forEach(host -> addIfUsable(host.getAsJsonObject(), found));
        return found;
    }

    private static long cachedForMs(JsonElement list) {
        JsonElement cached = list.getAsJsonObject().get("cacheMillis");
        return cached == null ? MOST_PAUSE_MS : cached.getAsLong();
    }

    /** In Nacos, a weight of 0 means: no calls. */
    private static void addIfUsable(JsonObject host, List<ServerEntry> found) {
        double weight = host.has("weight") ? host.get("weight").getAsDouble() : 1;
        boolean isEnabled = !host.has("enabled") || host.get("enabled").getAsBoolean();
        boolean isHealthy = !host.has("healthy") || host.get("healthy").getAsBoolean();
        if (isEnabled && isHealthy && weight > 0) {
            found.add(
                    new ServerEntry(
                            host.get("ip").getAsString(),
                            host.get("port").getAsInt(),
                            ServerText.withWeight(
                                    tag(host),
                                    Math.clamp(
                                            Math.round(weight),
                                            ServerNode.DEFAULT_WEIGHT,
                                            ServerNode.MAX_WEIGHT))));
        }
    }

    private static String tag(JsonObject host) {
        JsonElement metadata = host.get("metadata");
        return metadata == null
                        || metadata.isJsonNull()
                        || !metadata.getAsJsonObject().has(BeatingInstance.TAG)
                ? ""
                : metadata.getAsJsonObject().get(BeatingInstance.TAG).getAsString();
    }
}
