// SPDX-License-Identifier: Apache-2.0
package io.verbena.naming.nacos;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.verbena.naming.RegistryAddress;
import io.verbena.naming.RegistryTls;
import io.verbena.naming.RenewedRegistration;
import io.verbena.naming.ServerText;
import io.verbena.rpc.spi.ServerNode;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/** An ephemeral instance, which Nacos keeps for as long as its heart beats. */
final class BeatingInstance implements RenewedRegistration.Announcement {
    /** Nacos' default: it drops an instance after three beats are missing. */
    static final Duration INTERVAL = Duration.ofSeconds(5);

    /** The key of the tag in an instance's metadata. */
    static final String TAG = "tag";

    private static final String PATH = "ns/instance";
    private static final String DEFAULT_CLUSTER = "DEFAULT";

    /** The code in the answer to a beat of an instance that Nacos does not know. */
    private static final int UNKNOWN = 20404;

    private final Nacos nacos;
    private final Map<String, String> instance = new LinkedHashMap<>();
    private final String beat;
    private final String metadata;
    private final int weight;

    BeatingInstance(Nacos nacos, RegistryAddress address, ServerNode server) {
        this.nacos = nacos;
        this.weight = server.weight();
        JsonObject data = new JsonObject();
        if (!server.tag().isEmpty()) {
            data.addProperty(TAG, server.tag());
        }
        this.metadata = data.toString();
        String cluster =
                address.parameters().getOrDefault("clusters", DEFAULT_CLUSTER).split(",", 2)[0];
        instance.put("serviceName", address.path());
        instance.putAll(RegistryTls.others(address));
        instance.remove("clusters");
        instance.put("clusterName", cluster);
        instance.put("ip", ServerText.host(server));
        instance.put("port", Integer.toString(server.address().getPort()));
        instance.put("ephemeral", "true");
        this.beat = beat(address.path(), cluster, server, data).toString();
    }

    private static JsonObject beat(
            String name, String cluster, ServerNode server, JsonObject metadata) {
        JsonObject beat = new JsonObject();
        beat.addProperty("serviceName", name);
        beat.addProperty("cluster", cluster);
        beat.addProperty("ip", ServerText.host(server));
        beat.addProperty("port", server.address().getPort());
        beat.addProperty("weight", server.weight());
        beat.add("metadata", metadata);
        beat.addProperty("scheduled", true);
        return beat;
    }

    @Override
    public void announce() throws IOException, InterruptedException {
        Map<String, String> query = new LinkedHashMap<>(instance);
        query.put("weight", Integer.toString(weight));
        query.put("metadata", metadata);
        nacos.send("POST", PATH, query);
    }

    @Override
    public void renew() throws IOException, InterruptedException {
        Map<String, String> query = new LinkedHashMap<>(instance);
        query.put("beat", beat);
        JsonElement code =
                nacos.send("PUT", PATH + "/beat", query).json().getAsJsonObject().get("code");
        if (code != null && code.getAsInt() == UNKNOWN) {
            throw new IOException("Nacos does not know the instance");
        }
    }

    @Override
    public void withdraw() throws IOException, InterruptedException {
        nacos.send("DELETE", PATH, instance);
    }

    @Override
    public int members() {
        return nacos.members();
    }

    @Override
    public void close() {
        nacos.close();
    }
}
