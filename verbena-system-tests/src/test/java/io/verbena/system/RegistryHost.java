// SPDX-License-Identifier: Apache-2.0

package io.verbena.system;

import java.util.List;

/**
 * Where a registry runs.
 *
 * @param address of its network
 * @param prefix what to put before a command that is to run there
 */
record RegistryHost(String address, List<String> prefix) {
    static final RegistryHost HERE = new RegistryHost("127.0.0.1", List.of());
}
