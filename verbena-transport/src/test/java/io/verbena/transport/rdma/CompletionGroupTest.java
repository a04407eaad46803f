// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.verbs.CompletionChannel;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.Devices;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.WorkCompletion;
import java.lang.foreign.Arena;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Queues that fail in any way: their connections learn of it, and nobody else. */
class CompletionGroupTest {
    private final DeviceContext device = Devices.open(DeviceUnderTest.LEFT);
    private final CompletionChannel channel = device.createCompletionChannel();
    private final Arena arena = Arena.ofConfined();
    private final WorkCompletion cursor = WorkCompletion.allocate(arena, 4);

    /** The method that fails now. */
    private String failing = "";

    private Throwable fault = new AssertionError();

    @AfterEach
    void close() {
        channel.close();
        device.close();
        arena.close();
    }

    static Stream<Throwable> faults() {
        return Stream.of(
                new VerbsException("ibv_poll_cq", 5, "thrown by the test"),
                new IllegalStateException("thrown by the test"),
                new OutOfMemoryError("thrown by the test"),
                new Exception("not declared, and thrown by the test"));
    }

    private CompletionGroup group() {
        return new CompletionGroup(failing(), channel, 0, 4, new QueueSizes(16, 16), 4);
    }

    private DeviceContext failing() {
        return wrap(DeviceContext.class, device);
    }

    private <T> T wrap(Class<T> type, Object target) {
        return type.cast(
                Proxy.newProxyInstance(
                        type.getClassLoader(),
                        new Class<?>[] {type},
                        (proxy, method, arguments) -> {
                            if (method.getName().equals(failing)) {
                                throw fault;
                            }
                            try {
                                Object result = method.invoke(target, arguments);
                                return result instanceof CompletionQueue
                                        ? wrap(CompletionQueue.class, result)
                                        : result;
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            }
                        }));
    }

    private static Target occupy(CompletionGroup group, boolean isClumsy) {
        QueuePairSlot slot = group.tryClaim().orElseThrow();
        Target target = new Target(slot.generation(), isClumsy);
        group.occupy(slot, target);
        return target;
    }

    @ParameterizedTest
    @MethodSource("faults")
    void shouldTellEveryConnectionWhenPollingFails(Throwable thrown) {
        CompletionGroup group = group();
        Target clumsy = occupy(group, true);
        Target target = occupy(group, false);
        failing = "poll";
        fault = thrown;

        int count = group.poll(cursor);

        assertThat(count).isPositive();
        assertThat(clumsy.failures).hasSize(1);
        assertThat(target.failures).hasSize(1);
        assertThat(group.poll(cursor)).isZero();
        assertThat(group.tryClaim()).isEmpty();
        group.close();
    }

    @ParameterizedTest
    @MethodSource("faults")
    void shouldTellEveryConnectionWhenArmingFails(Throwable thrown) {
        CompletionGroup group = group();
        Target target = occupy(group, false);
        failing = "requestNotification";
        fault = thrown;

        group.arm();

        assertThat(target.failures).hasSize(1);
        assertThat(group.tryClaim()).isEmpty();
        group.close();
    }

    @Test
    void shouldTellAConnectionAgainWhenThereWasNoMemoryToEndIt() {
        CompletionGroup group = group();
        Target target = occupy(group, true);
        failing = "poll";
        group.poll(cursor);
        assertThat(group.isTelling()).isTrue();

        target.isClumsy = false;
        group.poll(cursor);

        assertThat(group.isTelling()).isFalse();
        assertThat(target.failures).hasSize(2);
        group.close();
    }

    @Test
    void shouldStayWholeWhileItsQueuesWork() {
        CompletionGroup group = group();
        Target target = occupy(group, false);

        group.arm();

        assertThat(group.poll(cursor)).isZero();
        assertThat(target.failures).isEmpty();
        group.close();
    }

    /** A connection that notes that its queue has failed. */
    private static final class Target implements CompletionTarget {
        final List<Throwable> failures = new ArrayList<>();
        private final int generation;
        private boolean isClumsy;

        Target(int generation, boolean isClumsy) {
            this.generation = generation;
            this.isClumsy = isClumsy;
        }

        @Override
        public int generation() {
            return generation;
        }

        @Override
        public void onSend(WorkCompletion completion) {
            throw new AssertionError(completion);
        }

        @Override
        public void onReceive(WorkCompletion completion) {
            throw new AssertionError(completion);
        }

        @Override
        public void onBatchEnd() {}

        @Override
        public void onFault(Throwable cause) {
            throw new AssertionError(cause);
        }

        @Override
        public void onQueueFailure(Throwable cause) {
            failures.add(cause);
            if (isClumsy) {
                throw new OutOfMemoryError("no memory to end it");
            }
        }
    }
}
