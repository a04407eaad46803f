// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import java.util.Optional;

/**
 * What a server must do before it is called again, besides accepting a connection.
 *
 * @param path a page that it must have; empty means none
 * @param call a call that it must answer
 */
record HealthTest(String path, Optional<HealthCall> call) {
    private static final HealthTest NONE = new HealthTest("", Optional.empty());

    static HealthTest of(ClusterOptions options) {
        return options.healthPath().isEmpty() && options.healthCall().isEmpty()
                ? NONE
                : new HealthTest(options.healthPath(), options.healthCall());
    }
}
