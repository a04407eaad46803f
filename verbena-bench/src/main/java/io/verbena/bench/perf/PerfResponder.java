// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.perf;

import com.google.protobuf.RpcCallback;
import com.google.protobuf.RpcController;
import io.verbena.bench.proto.PerfTestRequest;
import io.verbena.bench.proto.PerfTestResponse;
import io.verbena.bench.proto.PerfTestService;
import io.verbena.rpc.Controller;
import io.verbena.rpc.NonBlocking;
import java.util.Locale;
import java.util.OptionalDouble;

/** The server of {@code test.PerfTestService}. */
@NonBlocking
final class PerfResponder extends PerfTestService {
    private static final PerfTestResponse USUAL =
            PerfTestResponse.newBuilder().setCpuUsage("").build();

    private final ProcessorUse processors = new ProcessorUse();

    @Override
    public void test(
            RpcController controller, PerfTestRequest request, RpcCallback<PerfTestResponse> done) {
        if (request.getEchoAttachment()) {
            Controller call = (Controller) controller;
            call.responseAttachment().append(call.requestAttachment());
        }
        OptionalDouble use = processors.sample();
        done.run(use.isEmpty() ? USUAL : withUse(use.getAsDouble()));
    }

    private static PerfTestResponse withUse(double processors) {
        return PerfTestResponse.newBuilder()
                .setCpuUsage(String.format(Locale.ROOT, "%.3f", processors))
                .build();
    }
}
