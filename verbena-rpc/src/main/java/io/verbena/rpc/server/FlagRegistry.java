// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.server;

import io.verbena.rpc.RpcFlag;
import io.verbena.rpc.RpcFlags;
import io.verbena.transport.Flag;
import io.verbena.transport.TransportFlag;
import io.verbena.transport.TransportFlags;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** All flags of a process with their values, by name. Any thread may call any method. */
public final class FlagRegistry {
    private final RpcFlags changeable;
    private final TransportFlags fixed;

    /**
     * A flag at one moment.
     *
     * @param flag which
     * @param value a Long, a Boolean or a String
     * @param isChangeable whether it can be changed while the process runs
     */
    public record Entry(Flag flag, Object value, boolean isChangeable) {}

    /**
     * A registry.
     *
     * @param changeable flags that can be changed
     * @param fixed flags of the transport, which is made with them
     */
    public FlagRegistry(RpcFlags changeable, TransportFlags fixed) {
        this.changeable = changeable;
        this.fixed = fixed;
    }

    /** {@return all flags, in the order of their names} */
    public List<Entry> entries() {
        List<Entry> entries = new ArrayList<>();
        for (RpcFlag flag : RpcFlag.values()) {
            entries.add(new Entry(flag, changeable.value(flag), true));
        }
        fixed.values().forEach((flag, value) -> entries.add(new Entry(flag, value, false)));
        entries.sort(Comparator.comparing(entry -> entry.flag().flagName()));
        return entries;
    }

    /**
     * {@return a flag}
     *
     * @param name such as {@code max_body_size}
     */
    public Optional<Entry> find(String name) {
        return entries().stream().filter(entry -> entry.flag().flagName().equals(name)).findFirst();
    }

    /**
     * Changes a flag.
     *
     * @param name which
     * @param text its value, as one writes it
     * @throws IllegalArgumentException if there is no such flag, it cannot be changed, or may not
     *     have that value
     */
    public void set(String name, String text) {
        Flag flag =
                find(name)
                        .map(Entry::flag)
                        .orElseThrow(
                                () ->
                                        new IllegalArgumentException(
                                                "flag: " + name + " (expected: one that exists)"));
        switch (flag) {
            case RpcFlag changed -> changeable.set(changed, changed.parse(text));
            case TransportFlag _ ->
                    throw new IllegalArgumentException(
                            name + ": " + text + " (expected: set before the process starts)");
            default -> throw new IllegalArgumentException("flag: " + name + " of a kind not known");
        }
    }
}
