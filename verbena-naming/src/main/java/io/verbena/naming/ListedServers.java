// SPDX-License-Identifier: Apache-2.0
package io.verbena.naming;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import io.verbena.rpc.spi.EntryResolver;
import io.verbena.rpc.spi.HostLookup;
import io.verbena.rpc.spi.LeftOut;
import io.verbena.rpc.spi.ServerEntry;
import io.verbena.rpc.spi.ServerNode;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The servers that the nodes of a tree stand for, in the forms that are in use:
 *
 * <table>
 *   <caption>name and value of a node</caption>
 *   <tr><th>name</th><th>value</th><th>who writes it</th></tr>
 *   <tr><td>{@code host:port}</td><td>the tag, or nothing</td><td>Verbena, and many others</td></tr>
 *   <tr><td>any</td><td>{@code host:port}, or {@code host:port tag}</td><td>sequential nodes</td></tr>
 *   <tr><td>any</td><td>{@code {"ip":"h","port":1}}</td><td>brpc-java</td></tr>
 *   <tr><td>any</td><td>{@code {"address":"h","port":1}}</td><td>Curator's and Spring's discovery</td></tr>
 *   <tr><td>any</td><td>{@code {"Addr":"h:1"}}</td><td>etcd's naming for gRPC</td></tr>
 * </table>
 *
 * <p>A node in none of these forms is left out, and logged once. One thread at a time.
 */
public final class ListedServers {
    private static final List<String> HOST_KEYS = List.of("address", "ip", "host");

    private final EntryResolver resolver = new EntryResolver(HostLookup.SYSTEM);
    private final LeftOut leftOut = new LeftOut();

    /** Has read nothing yet. */
    public ListedServers() {}

    /**
     * {@return the servers} May block, to look up hosts.
     *
     * @param nodes the value of each node, by the last part of its name
     * @throws UnknownHostException if there are servers, and the address of none is known
     * @throws IllegalArgumentException if there are servers, and the weight of none is allowed
     */
    public List<ServerNode> read(Map<String, String> nodes) throws UnknownHostException {
        List<ServerEntry> entries = new ArrayList<>(nodes.size());
        Map<String, RuntimeException> unreadable = new LinkedHashMap<>();
        nodes.forEach(
                (name, value) -> {
                    try {
                        entries.add(entry(name, value));
                    } catch (RuntimeException e) {
                        unreadable.put(name + " = " + value, e);
                    }
                });
        leftOut.report(unreadable);
        return resolve(entries);
    }

    /**
     * {@return the servers of a list} May block, to look up hosts.
     *
     * @param entries those with a weight that is not allowed are left out
     * @throws UnknownHostException if there are servers, and the address of none is known
     * @throws IllegalArgumentException if there are servers, and the weight of none is allowed
     */
    public List<ServerNode> resolve(List<ServerEntry> entries) throws UnknownHostException {
        return resolver.resolve(entries);
    }

    static ServerEntry entry(String name, String value) {
        if (value.startsWith("{")) {
            return inJson(JsonParser.parseString(value).getAsJsonObject());
        }
        // the last colon: names of sequential nodes have none, or not before a number
        return name.matches(".+:\\d+")
                ? ServerEntry.parse(value.isBlank() ? name : name + " " + value)
                : ServerEntry.parse(value);
    }

    private static ServerEntry inJson(JsonObject value) {
        JsonElement both = value.get("Addr");
        if (both != null) {
            return ServerEntry.parse(both.getAsString());
        }
        String tag = value.has("tag") ? value.get("tag").getAsString() : "";
        for (String key : HOST_KEYS) {
            if (value.has(key) && value.has("port")) {
                return new ServerEntry(
                        value.get(key).getAsString(), value.get("port").getAsInt(), tag);
            }
        }
        throw new JsonParseException("no address and port");
    }
}
