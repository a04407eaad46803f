// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.google.protobuf.Descriptors.MethodDescriptor;
import io.verbena.http.test.EchoService;
import io.verbena.rpc.spi.MethodStatus;
import io.verbena.rpc.spi.ServerMethod;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;
import org.junit.jupiter.api.Test;

class MethodWindowTest {
    private final AtomicLong clock = new AtomicLong();
    private final Counted method = new Counted();

    /** A method whose statistics the test sets. */
    private static final class Counted implements ServerMethod, MethodStatus {
        private final Recorder latencies = new Recorder(2);
        private long count;
        private long errors;

        void call(long latencyUs, int error) {
            latencies.recordValue(latencyUs);
            if (error == 0) {
                count++;
            } else {
                errors++;
            }
        }

        @Override
        public MethodDescriptor descriptor() {
            return EchoService.Methods.ECHO.descriptor();
        }

        @Override
        public MethodStatus status() {
            return this;
        }

        @Override
        public int concurrency() {
            return 0;
        }

        @Override
        public int maxConcurrency() {
            return 0;
        }

        @Override
        public long count() {
            return count;
        }

        @Override
        public long errors() {
            return errors;
        }

        @Override
        public long rejected() {
            return 0;
        }

        @Override
        public Histogram takeLatencies() {
            return latencies.getIntervalHistogram();
        }
    }

    private MethodWindows windows() {
        return new MethodWindows(List.of(method), clock::get);
    }

    private void second(MethodWindows windows) {
        clock.addAndGet(TimeUnit.SECONDS.toNanos(1));
        windows.sample();
    }

    @Test
    void shouldTellOfTheLastTenSeconds() {
        MethodWindows windows = windows();
        for (int i = 1; i <= 100; i++) {
            method.call(i * 10L, i % 10 == 0 ? 1 : 0);
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
        method.call(1_000_000, 0);
        second(windows);
        method.call(10, 0);
        for (int i = 0; i < MethodWindow.SECONDS; i++) {
            second(windows);
        }

        assertThat(windows.of(method).maxUs()).isEqualTo(10);
        second(windows);
        assertThat(windows.of(method)).isEqualTo(Recent.NOTHING);
        assertThat(windows.of(method).maxUs()).isZero();
    }
}
