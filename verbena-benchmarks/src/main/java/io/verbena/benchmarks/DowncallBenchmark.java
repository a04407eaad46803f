// SPDX-License-Identifier: Apache-2.0
package io.verbena.benchmarks;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What does a bare call into C cost? {@code strnlen(address, 0)} reads nothing and returns 0: what
 * remains is the transition there and back, which posting and polling pay each time.
 *
 * <p>Each sample is a burst of calls, too short for the scheduler to disturb most of them, so the
 * median is right even on a busy machine.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 2, jvmArgsAppend = "--enable-native-access=ALL-UNNAMED")
public class DowncallBenchmark {
    private static final int BURST = 1000;

    private static final Linker LINKER = Linker.nativeLinker();
    private static final MemorySegment FUNCTION =
            LINKER.defaultLookup().find("strnlen").orElseThrow();
    private static final FunctionDescriptor BY_NUMBER =
            FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG);
    private static final FunctionDescriptor BY_SEGMENT =
            FunctionDescriptor.of(JAVA_LONG, ADDRESS, JAVA_LONG);
    private static final MethodHandle NUMBER = LINKER.downcallHandle(FUNCTION, BY_NUMBER);
    private static final MethodHandle SEGMENT = LINKER.downcallHandle(FUNCTION, BY_SEGMENT);
    private static final MethodHandle POINTER = LINKER.downcallHandle(BY_NUMBER);
    private static final MethodHandle CRITICAL =
            LINKER.downcallHandle(FUNCTION, BY_NUMBER, Linker.Option.critical(false));
    private static final MethodHandle CRITICAL_POINTER =
            LINKER.downcallHandle(BY_NUMBER, Linker.Option.critical(false));
    private static final MethodHandle ERRNO =
            LINKER.downcallHandle(FUNCTION, BY_NUMBER, Linker.Option.captureCallState("errno"));

    /** As in a device context: an object's field, not a constant. */
    private MemorySegment pointer;

    private Arena arena;
    private MemorySegment shared;
    private MemorySegment global;
    private MemorySegment state;
    private long address;

    /** Allocates what is passed. */
    @Setup
    public void allocate() {
        pointer = FUNCTION;
        arena = Arena.ofShared();
        shared = arena.allocate(64);
        global = Arena.global().allocate(64);
        state = Arena.global().allocate(Linker.Option.captureStateLayout());
        address = shared.address();
    }

    /** Frees it. */
    @TearDown
    public void free() {
        arena.close();
    }

    /** {@return zero, by calls with a plain address} */
    @Benchmark
    @OperationsPerInvocation(BURST)
    public long number() throws Throwable {
        long sum = 0;
        for (int i = 0; i < BURST; i++) {
            sum += (long) NUMBER.invokeExact(address, 0L);
        }
        return sum;
    }

    /** {@return zero, by calls with a segment of a shared arena, which each call keeps open} */
    @Benchmark
    @OperationsPerInvocation(BURST)
    public long sharedSegment() throws Throwable {
        long sum = 0;
        for (int i = 0; i < BURST; i++) {
            sum += (long) SEGMENT.invokeExact(shared, 0L);
        }
        return sum;
    }

    /** {@return zero, by calls with a segment that is never freed} */
    @Benchmark
    @OperationsPerInvocation(BURST)
    public long globalSegment() throws Throwable {
        long sum = 0;
        for (int i = 0; i < BURST; i++) {
            sum += (long) SEGMENT.invokeExact(global, 0L);
        }
        return sum;
    }

    /** {@return zero, by calls through a function pointer, as post and poll are} */
    @Benchmark
    @OperationsPerInvocation(BURST)
    public long functionPointer() throws Throwable {
        long sum = 0;
        for (int i = 0; i < BURST; i++) {
            sum += (long) POINTER.invokeExact(pointer, address, 0L);
        }
        return sum;
    }

    /** {@return zero, by critical calls} */
    @Benchmark
    @OperationsPerInvocation(BURST)
    public long critical() throws Throwable {
        long sum = 0;
        for (int i = 0; i < BURST; i++) {
            sum += (long) CRITICAL.invokeExact(address, 0L);
        }
        return sum;
    }

    /** {@return zero, by critical calls through a function pointer} */
    @Benchmark
    @OperationsPerInvocation(BURST)
    public long criticalFunctionPointer() throws Throwable {
        long sum = 0;
        for (int i = 0; i < BURST; i++) {
            sum += (long) CRITICAL_POINTER.invokeExact(pointer, address, 0L);
        }
        return sum;
    }

    /** {@return zero, by calls that save errno} */
    @Benchmark
    @OperationsPerInvocation(BURST)
    public long capturingErrno() throws Throwable {
        long sum = 0;
        for (int i = 0; i < BURST; i++) {
            sum += (long) ERRNO.invokeExact(state, address, 0L);
        }
        return sum;
    }
}
