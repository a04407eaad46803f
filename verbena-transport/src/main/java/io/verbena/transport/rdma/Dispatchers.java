// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import io.verbena.memory.BlockPool;
import io.verbena.transport.TransportFlag;
import io.verbena.transport.TransportFlags;
import io.verbena.verbs.CompletionChannel;
import io.verbena.verbs.DeviceContext;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** The dispatchers of a device, and their channels: as many for each {@link Side} as asked for. */
final class Dispatchers {
    private final Map<Side, List<Dispatcher>> bySide = new EnumMap<>(Side.class);
    private final List<CompletionChannel> channels = new ArrayList<>();
    private final AtomicInteger next = new AtomicInteger();

    Dispatchers(DeviceContext context, BlockPool pool, TransportFlags flags) {
        DispatcherOptions options = DispatcherOptions.of(flags);
        int count = flags.integer(TransportFlag.RDMA_POLLER_NUM);
        for (Side side : Side.values()) {
            List<Dispatcher> made = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                CompletionChannel channel = context.createCompletionChannel();
                channels.add(channel);
                String name = side.name().toLowerCase(Locale.ROOT) + "-" + i;
                made.add(new Dispatcher(name, channel, pool, options));
            }
            bySide.put(side, List.copyOf(made));
        }
    }

    void start() {
        all().forEach(Dispatcher::start);
    }

    List<Dispatcher> all() {
        return bySide.values().stream().flatMap(List::stream).toList();
    }

    List<Dispatcher> of(Side side) {
        return bySide.get(side);
    }

    /** {@return the dispatcher of the next connection} */
    Dispatcher pick(Side side) {
        List<Dispatcher> those = of(side);
        return those.get(Math.floorMod(next.getAndIncrement(), those.size()));
    }

    /** Ends their threads, once every slot is free. */
    void end() {
        all().forEach(Dispatcher::stop);
        all().forEach(Dispatcher::awaitEnd);
    }

    /** Closes the channels; the queues are closed already. */
    void close() {
        channels.forEach(CompletionChannel::close);
    }
}
