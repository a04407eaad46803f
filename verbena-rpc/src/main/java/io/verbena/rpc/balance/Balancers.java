// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.balance;

import io.verbena.rpc.spi.LoadBalancer;
import io.verbena.rpc.spi.LoadBalancerProvider;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** All balancers of this package. */
public final class Balancers {
    private Balancers() {}

    /** {@return their providers} */
    public static List<LoadBalancerProvider> all() {
        return List.of(
                provider("rr", parameters -> new RoundRobin()),
                provider("random", parameters -> new RandomChoice()),
                provider("wrr", parameters -> new WeightedRoundRobin()),
                provider("wr", parameters -> new WeightedRandom()),
                provider("p2c", parameters -> new PowerOfTwoChoices(parameters.take("choices", 2))),
                provider("la", parameters -> new LocalityAware()),
                provider("c_murmurhash", parameters -> hash(Points.MURMUR, parameters)),
                provider("c_md5", parameters -> hash(Points.MD5, parameters)),
                provider("c_ketama", parameters -> hash(Points.KETAMA, parameters)));
    }

    private static LoadBalancer hash(Points points, Parameters parameters) {
        return new ConsistentHash(points, parameters.take("replicas", Points.DEFAULT_REPLICAS));
    }

    private static LoadBalancerProvider provider(
            String name, Function<Parameters, LoadBalancer> factory) {
        return new LoadBalancerProvider() {
            @Override
            public String name() {
                return name;
            }

            @Override
            public LoadBalancer create(Map<String, String> given) {
                Parameters parameters = new Parameters(name, given);
                LoadBalancer made = factory.apply(parameters);
                parameters.checkNoneLeft();
                return made;
            }
        };
    }
}
