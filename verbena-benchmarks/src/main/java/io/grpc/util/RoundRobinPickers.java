// SPDX-License-Identifier: Apache-2.0

package io.grpc.util;

import io.grpc.LoadBalancer.FixedResultPicker;
import io.grpc.LoadBalancer.PickResult;
import io.grpc.LoadBalancer.SubchannelPicker;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Makes gRPC's picker of round_robin, which only its own package can. */
public final class RoundRobinPickers {
    private RoundRobinPickers() {}

    /**
     * {@return a picker as gRPC uses it when all servers are ready}
     *
     * @param servers how many
     */
    public static SubchannelPicker of(int servers) {
        List<SubchannelPicker> each = new ArrayList<>();
        for (int i = 0; i < servers; i++) {
            each.add(new FixedResultPicker(PickResult.withNoResult()));
        }
        return new RoundRobinLoadBalancer.ReadyPicker(each, new AtomicInteger());
    }
}
