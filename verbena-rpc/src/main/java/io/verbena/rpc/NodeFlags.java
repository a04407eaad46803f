// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.memory.BlockPoolSetting;
import io.verbena.rpc.spi.FlagRegistry;
import io.verbena.transport.Flag;
import io.verbena.transport.Transport;
import io.verbena.transport.TransportFlag;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** The flags of a node, of its transport and of its memory, as one registry. */
final class NodeFlags implements FlagRegistry {
    private final RpcFlags changeable;
    private final Transport transport;

    NodeFlags(RpcFlags changeable, Transport transport) {
        this.changeable = changeable;
        this.transport = transport;
    }

    @Override
    public List<Entry> entries() {
        List<Entry> entries = new ArrayList<>();
        for (RpcFlag flag : RpcFlag.values()) {
            entries.add(new Entry(flag, changeable.value(flag), true));
        }
        transport
                .flags()
                .values()
                .forEach((flag, value) -> entries.add(new Entry(flag, value, flag.isChangeable())));
        for (BlockPoolSetting setting : transport.pool().options().settings()) {
            entries.add(new Entry(new PoolFlag(setting), setting.value(), false));
        }
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
            case TransportFlag changed -> transport.change(changed, changed.parse(text));
            default ->
                    throw new IllegalArgumentException(
                            name + ": " + text + " needs a restart (expected: set at the start)");
        }
    }
}
