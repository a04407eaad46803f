// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.spi;

import io.verbena.verbs.Device;
import java.util.List;

/**
 * A source of RDMA devices, found by {@link java.util.ServiceLoader}.
 *
 * <p>A provider that cannot work here (library missing, no driver) has no devices and says why in
 * {@link #status()}; it never throws from {@link #devices()}.
 */
public interface VerbsProvider {
    /** {@return the provider's short name, such as {@code soft}} */
    String name();

    /** {@return the devices present now, in the provider's order; possibly none} */
    List<Device> devices();

    /** {@return one line about the provider's state: what it offers, or why it has no devices} */
    String status();
}
