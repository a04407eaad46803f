// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.perf;

import io.verbena.bench.proto.PerfTestRequest;
import io.verbena.bench.proto.PerfTestResponse;
import io.verbena.bench.proto.PerfTestService;
import io.verbena.rpc.Call;
import io.verbena.rpc.NonBlocking;
import java.util.Locale;
import java.util.OptionalDouble;

/** The server of {@code test.PerfTestService}. */
@NonBlocking
final class PerfResponder implements PerfTestService {
    private static final PerfTestResponse USUAL =
            PerfTestResponse.newBuilder().setCpuUsage("").build();

    private final ProcessorUse processors = new ProcessorUse();

    @Override
    public PerfTestResponse test(Call call, PerfTestRequest request) {
        if (request.getEchoAttachment()) {
            call.responseAttachment().append(call.requestAttachment());
        }
        OptionalDouble use = processors.sample();
        return use.isEmpty() ? USUAL : withUse(use.getAsDouble());
    }

    private static PerfTestResponse withUse(double processors) {
        return PerfTestResponse.newBuilder()
                .setCpuUsage(String.format(Locale.ROOT, "%.3f", processors))
                .build();
    }
}
