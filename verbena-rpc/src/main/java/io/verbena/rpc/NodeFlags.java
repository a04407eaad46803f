// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.rpc.spi.FlagRegistry;
import io.verbena.transport.Flag;
import io.verbena.transport.TransportFlag;
import io.verbena.transport.TransportFlags;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** The flags of a node and of its transport, as one registry. */
final class NodeFlags implements FlagRegistry {
    private final RpcFlags changeable;

    /** Fixed when the transport was created. */
    private final TransportFlags fixed;

    NodeFlags(RpcFlags changeable, TransportFlags fixed) {
        this.changeable = changeable;
        this.fixed = fixed;
    }

    @Override
    public List<Entry> entries() {
        List<Entry> entries = new ArrayList<>();
        for (RpcFlag flag : RpcFlag.values()) {
            entries.add(new Entry(flag, changeable.value(flag), true));
        }
        fixed.values().forEach((flag, value) -> entries.add(new Entry(flag, value, false)));
        entries.sort(Comparator.comparing(entry -> entry.flag().flagName()));
        return entries;
    }

    @Override
    public Optional<Entry> find(String name) {
        return entries().stream().filter(entry -> entry.flag().flagName().equals(name)).findFirst();
    }

    @Override
    public void set(String name, String text) {
        Flag flag =
                find(name)
                        .map(Entry::flag)
                        .orElseThrow(
                                () ->
                                        new IllegalArgumentException(
                                                "flag: " + name + " (expected: an existing flag)"));
        switch (flag) {
            case RpcFlag changed -> changeable.set(changed, changed.parse(text));
            case TransportFlag _ ->
                    throw new IllegalArgumentException(
                            name + ": " + text + " (expected: set before the process starts)");
            default -> throw new IllegalArgumentException("flag: " + name + " (unknown kind)");
        }
    }
}
