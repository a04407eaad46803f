// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.verbena.rpc.RpcFlags;
import io.verbena.rpc.server.MethodRegistry;
import io.verbena.rpc.server.MethodStatus;
import io.verbena.rpc.server.ServerMethod;
import io.verbena.rpc.test.EchoService;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class MethodWindowTest {
    private final MethodRegistry methods = new MethodRegistry(new RpcFlags());
    private final AtomicLong clock = new AtomicLong();

    private MethodWindows windows() {
        methods.add(EchoService.newReflectiveService(null), Map.of(), "unlimited");
        return new MethodWindows(methods, clock::get);
    }

    private void second(MethodWindows windows) {
        clock.addAndGet(TimeUnit.SECONDS.toNanos(1));
        windows.sample();
    }

    private static void call(MethodStatus status, long latencyUs, int error) {
        assertThat(status.tryEnter(-1)).isTrue();
        status.leave(TimeUnit.MICROSECONDS.toNanos(latencyUs), error);
    }

    @Test
    void shouldTellOfTheLastTenSeconds() {
        MethodWindows windows = windows();
        ServerMethod method = methods.find("EchoService", "Echo").orElseThrow();
        for (int i = 1; i <= 100; i++) {
            call(method.status(), i * 10L, i % 10 == 0 ? 1 : 0);
        }
        second(windows);
        assertThat(windows.of(method).qps()).isEqualTo(90);
        assertThat(windows.of(method).eps()).isEqualTo(10);

        second(windows);
        Recent recent = windows.of(method);

        assertThat(recent.qps()).isEqualTo(45);
        assertThat(recent.percentileUs(50)).isCloseTo(500, within(10L));
        assertThat(recent.percentileUs(99)).isCloseTo(990, within(10L));
        assertThat(recent.maxUs()).isCloseTo(1000, within(10L));
        assertThat(recent.averageUs()).isCloseTo(505, within(10L));
    }

    @Test
    void shouldForgetWhatIsLongAgo() {
        MethodWindows windows = windows();
        ServerMethod method = methods.find("EchoService", "Echo").orElseThrow();
        call(method.status(), 1_000_000, 0);
        second(windows);
        call(method.status(), 10, 0);
        for (int i = 0; i < MethodWindow.SECONDS; i++) {
            second(windows);
        }

        assertThat(windows.of(method).maxUs()).isEqualTo(10);
        second(windows);
        assertThat(windows.of(method)).isEqualTo(Recent.NOTHING);
        assertThat(windows.of(method).maxUs()).isZero();
    }
}
