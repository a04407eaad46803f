// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import java.util.Optional;

/**
 * What a server must do before it is called again, besides accepting a connection.
 *
 * @param path a page that it must have; empty means none
 * @param call a call that it must answer
 */
record HealthCriterion(String path, Optional<HealthCall> call) {
    private static final HealthCriterion NONE = new HealthCriterion("", Optional.empty());

    static HealthCriterion of(ClusterOptions options) {
        return options.healthPath().isEmpty() && options.healthCall().isEmpty()
                ? NONE
                : new HealthCriterion(options.healthPath(), options.healthCall());
    }
}
