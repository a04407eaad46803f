// SPDX-License-Identifier: Apache-2.0
package io.verbena.micrometer;

import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Message;
import io.micrometer.core.instrument.MeterRegistry;
import io.verbena.rpc.Call;
import io.verbena.rpc.CallChain;
import io.verbena.rpc.ClientCall;
import io.verbena.rpc.ClientInterceptor;
import io.verbena.rpc.ServerInterceptor;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Counts and times calls, by service and method. The same object serves servers and channels. Any
 * thread. Most of what it costs is the registry's clock; see {@link CoarseClock}.
 *
 * <table>
 * <caption>Meters; {@code SIDE} is {@code server} or {@code client}</caption>
 * <tr><th>name</th><th>what</th><th>further tags</th></tr>
 * <tr><td>{@code verbena.SIDE.calls}</td><td>timer with a histogram</td>
 *     <td>{@code code}, 0 or an error's; {@code transport}, rdma or tcp</td></tr>
 * <tr><td>{@code verbena.SIDE.calls.active}</td><td>calls under way</td><td></td></tr>
 * <tr><td>{@code verbena.client.retries}</td><td>counter</td><td></td></tr>
 * <tr><td>{@code verbena.client.backups}</td><td>counter of backup requests</td><td></td></tr>
 * </table>
 */
public final class CallMetrics implements ServerInterceptor, ClientInterceptor {
    private final MeterRegistry registry;
    private final Map<MethodDescriptor, MethodMeters> server = new ConcurrentHashMap<>();
    private final Map<MethodDescriptor, MethodMeters> client = new ConcurrentHashMap<>();

    /**
     * Metrics without calls so far.
     *
     * @param registry receives them
     */
    public CallMetrics(MeterRegistry registry) {
        this.registry = registry;
    }

    @Override
    public void intercept(Call call, Message request, CallChain next) {
        meters(server, "server", call.descriptor()).begin();
        next.proceed(request);
    }

    @Override
    public void onEnd(Call call) {
        meters(server, "server", call.descriptor())
                .end(call.errorCode(), call.isRdma(), call.elapsedNs());
    }

    @Override
    public void intercept(
            MethodDescriptor method, Message request, ClientCall call, CallChain next) {
        meters(client, "client", method).begin();
        next.proceed(request);
    }

    @Override
    public void onEnd(MethodDescriptor method, ClientCall call) {
        MethodMeters meters = meters(client, "client", method);
        long latencyNs = TimeUnit.MICROSECONDS.toNanos(call.latencyUs());
        meters.end(call.errorCode(), call.isRdma(), latencyNs);
        if (call.retriedCount() > 0) {
            meters.retried(call.retriedCount(), call.hasBackupRequest());
        }
    }

    /** Tries get first: computeIfAbsent may lock even if the key is present. */
    private MethodMeters meters(
            Map<MethodDescriptor, MethodMeters> meters, String side, MethodDescriptor method) {
        MethodMeters known = meters.get(method);
        return known != null
                ? known
                : meters.computeIfAbsent(method, m -> new MethodMeters(registry, side, m));
    }
}
