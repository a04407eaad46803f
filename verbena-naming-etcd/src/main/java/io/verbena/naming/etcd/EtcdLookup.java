// SPDX-License-Identifier: Apache-2.0
package io.verbena.naming.etcd;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.verbena.naming.ListedServers;
import io.verbena.naming.RestLines;
import io.verbena.rpc.spi.PollingWatch;
import io.verbena.rpc.spi.ServerNode;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Reads all keys, then follows their changes from that revision on. A stream that is silent for a
 * while may be cut, which nobody would say: then all keys are read again. For the thread of a
 * watch.
 */
final class EtcdLookup implements PollingWatch.Lookup {
    private static final Duration SILENCE = Duration.ofSeconds(5);

    private final Etcd etcd;
    private final String prefix;
    private final ListedServers listed = new ListedServers();

    /** Values by the part of the key after the prefix. */
    private Map<String, String> nodes = new HashMap<>();

    private List<ServerNode> servers = List.of();

    /** Absent until all keys were read, and after a failure. */
    private Optional<RestLines> changes = Optional.empty();

    EtcdLookup(Etcd etcd, String prefix) {
        this.etcd = etcd;
        this.prefix = prefix;
    }

    @Override
    public List<ServerNode> find() throws IOException, InterruptedException {
        boolean isFollowed = false;
        try {
            if (changes.isEmpty()) {
                servers = readAll();
            } else {
                servers = awaitChange(changes.get());
            }
            isFollowed = true;
            return servers;
        } finally {
            if (!isFollowed) {
                forget();
            }
        }
    }

    private void forget() {
        changes.ifPresent(RestLines::close);
        changes = Optional.empty();
    }

    private List<ServerNode> readAll() throws IOException, InterruptedException {
        long revision = refresh();
        changes = Optional.of(etcd.watch(prefix, revision + 1));
        return listed.read(nodes);
    }

    /** Reads all keys. {@return at which revision} */
    private long refresh() throws IOException, InterruptedException {
        JsonObject range = etcd.range(prefix);
        Map<String, String> found = new HashMap<>();
        JsonArray values = range.getAsJsonArray("kvs");
        if (values != null) {
            values.forEach(each -> put(found, each.getAsJsonObject()));
        }
        nodes = found;
        return Etcd.number(range.getAsJsonObject("header"), "revision");
    }

    private void put(Map<String, String> into, JsonObject value) {
        into.put(name(value), Etcd.decoded(value, "value"));
    }

    private String name(JsonObject value) {
        return Etcd.decoded(value, "key").substring(prefix.length());
    }

    private List<ServerNode> awaitChange(RestLines lines) throws IOException, InterruptedException {
        Optional<String> line = lines.next(SILENCE);
        if (line.isEmpty()) {
            Map<String, String> before = nodes;
            long revision = refresh();
            if (before.equals(nodes)) {
                return servers;
            }
            // the stream should have said so
            forget();
            changes = Optional.of(etcd.watch(prefix, revision + 1));
            return listed.read(nodes);
        }
        return isChanged(line.get()) ? listed.read(nodes) : servers;
    }

    private boolean isChanged(String line) throws IOException {
        JsonObject result =
                JsonParser.parseString(line).getAsJsonObject().getAsJsonObject("result");
        if (result == null || result.has("canceled")) {
            // such as: that revision was compacted
            throw new IOException("the watch was cancelled: " + line);
        }
        JsonArray events = result.getAsJsonArray("events");
        if (events == null) {
            return false;
        }
        for (JsonElement each : events) {
            JsonObject event = each.getAsJsonObject();
            // PUT is the default, and left out
            if (event.has("type") && event.get("type").getAsString().equals("DELETE")) {
                nodes.remove(name(event.getAsJsonObject("kv")));
            } else {
                put(nodes, event.getAsJsonObject("kv"));
            }
        }
        return true;
    }
}
