// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.spi;

import io.verbena.transport.Flag;
import java.util.List;
import java.util.Optional;

/** All flags of a process with their values, by name. Any thread may call any method. */
public interface FlagRegistry {
    /**
     * A flag at one moment.
     *
     * @param flag the flag
     * @param value a Long, a Boolean or a String
     * @param isChangeable whether it can be changed while the process runs
     */
    record Entry(Flag flag, Object value, boolean isChangeable) {}

    /** {@return all flags, in the order of their names} */
    List<Entry> entries();

    /**
     * {@return a flag by its name}
     *
     * @param name such as {@code max_body_size}
     */
    Optional<Entry> find(String name);

    /**
     * Changes a flag.
     *
     * @param name the flag's name
     * @param text its new value, as text
     * @throws IllegalArgumentException if there is no such flag, it cannot be changed, or the value
     *     is not allowed
     */
    void set(String name, String text);
}
