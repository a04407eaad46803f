// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.ibv;

import io.verbena.verbs.Device;
import io.verbena.verbs.spi.VerbsProvider;
import java.util.List;

/** The provider of the RDMA devices that libibverbs finds. */
public final class NativeProvider implements VerbsProvider {
    static final String NAME = "native";

    /** For {@link java.util.ServiceLoader}. */
    public NativeProvider() {}

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public List<Device> devices() {
        return DeviceList.now().devices();
    }

    @Override
    public String status() {
        return DeviceList.now().status();
    }
}
