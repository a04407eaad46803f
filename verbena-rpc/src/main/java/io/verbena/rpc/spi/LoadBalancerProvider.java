// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.spi;

import java.util.Map;

/** Creates balancers of one kind. */
public interface LoadBalancerProvider {
    /** {@return brpc's name of the kind, such as {@code rr}} */
    String name();

    /**
     * {@return a balancer for one channel}
     *
     * @param parameters what follows the name, {@code name:key=value key=value}
     * @throws IllegalArgumentException if a parameter is unknown
     */
    LoadBalancer create(Map<String, String> parameters);
}
