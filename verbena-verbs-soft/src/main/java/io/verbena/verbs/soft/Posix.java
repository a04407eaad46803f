// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.verbena.verbs.Errno;
import io.verbena.verbs.VerbsException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The operating-system calls that Java has no API for. Besides {@link RawMemory}, the only class of
 * this module that makes restricted calls.
 *
 * <p>Every feature may be absent: on another operating system or processor, without the C symbol,
 * or where native access is denied. Loading this class never fails; the {@code has…} methods say
 * what is available.
 *
 * <p>Addresses are plain {@code long}s, so nothing here keeps memory alive; the caller must.
 */
final class Posix {
    /** What {@link #userId()} returns where the call is absent; no POSIX user has this number. */
    static final int UNKNOWN_USER = -1;

    private static final int FUTEX_WAIT = 0;
    private static final int FUTEX_WAKE = 1;

    private static final int EINTR = 4;
    private static final long NANOS_PER_SECOND = 1_000_000_000L;

    /** {@code struct timespec} of the 64-bit Linux system calls. */
    private static final StructLayout TIMESPEC =
            MemoryLayout.structLayout(JAVA_LONG.withName("tv_sec"), JAVA_LONG.withName("tv_nsec"));

    private static final StructLayout CALL_STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO =
            CALL_STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));

    /** The calls of this processor; numbers from the Linux headers of each. */
    private static final SystemCalls CALLS =
            SystemCalls.of(System.getProperty("os.name"), System.getProperty("os.arch"));

    private static final FunctionDescriptor FUTEX_WAIT_TYPE =
            FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_LONG);
    private static final FunctionDescriptor FUTEX_WAKE_TYPE =
            FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT);
    private static final FunctionDescriptor GETUID_TYPE = FunctionDescriptor.of(JAVA_INT);

    private static final boolean HAS_SYSCALL = CALLS.known() && isCallable("syscall");
    private static final boolean HAS_GETUID = isCallable("getuid");

    // In C, syscall takes its number and then whatever the call needs: variadic from argument 1.
    // None is critical: a thread inside a critical call would hold up safepoints for the whole JVM.
    private static final MethodHandle FUTEX_WAIT_CALL =
            HAS_SYSCALL
                    ? downcall(
                            "syscall",
                            FUTEX_WAIT_TYPE,
                            Linker.Option.firstVariadicArg(1),
                            Linker.Option.captureCallState("errno"))
                    : absent(FUTEX_WAIT_TYPE.insertArgumentLayouts(0, ADDRESS));
    private static final MethodHandle FUTEX_WAKE_CALL =
            HAS_SYSCALL
                    ? downcall("syscall", FUTEX_WAKE_TYPE, Linker.Option.firstVariadicArg(1))
                    : absent(FUTEX_WAKE_TYPE);
    private static final MethodHandle GETUID_CALL =
            HAS_GETUID ? downcall("getuid", GETUID_TYPE) : absent(GETUID_TYPE);

    private static final boolean HAS_FUTEX = HAS_SYSCALL && probeFutex();

    /**
     * What a waiting thread passes to the kernel, allocated once: sleeping must not produce
     * garbage.
     */
    private static final ThreadLocal<Scratch> SCRATCH = ThreadLocal.withInitial(Scratch::make);

    private Posix() {}

    /** {@return whether {@link #futexWait} and {@link #futexWake} work here} */
    static boolean hasFutex() {
        return HAS_FUTEX;
    }

    /**
     * Sleeps while the word at an address has a value.
     *
     * <p>Returns when woken, when the value differs, when the time is over, or on a signal: the
     * caller must check again. Works between processes that map the same file. The calling thread
     * blocks in the kernel and ignores interrupts; a virtual thread would block its carrier.
     *
     * @param address of an {@code int}, 4-byte aligned, mapped until this returns
     * @param expected the value to sleep on
     * @param timeoutNs zero, negative or {@link Long#MAX_VALUE} for no limit
     * @throws VerbsException if the kernel refuses the address
     */
    static void futexWait(long address, int expected, long timeoutNs) {
        if (!HAS_FUTEX) {
            throw new UnsupportedOperationException("futex: absent (expected: hasFutex())");
        }
        try {
            Scratch scratch = SCRATCH.get();
            MemorySegment state = scratch.state();
            long timeout = timespec(scratch.time(), timeoutNs);
            long result =
                    (long)
                            FUTEX_WAIT_CALL.invokeExact(
                                    state, CALLS.futex, address, FUTEX_WAIT, expected, timeout);
            if (result != 0) {
                checkFutexErrno((int) ERRNO.get(state, 0L), address);
            }
        } catch (VerbsException e) {
            throw e;
        } catch (Throwable e) {
            throw new AssertionError("futex", e);
        }
    }

    /**
     * Wakes threads, of any process, that sleep on the word at an address.
     *
     * @param address of an {@code int}, 4-byte aligned
     * @param count how many at most
     * @return how many were woken, or -1 if the address is unusable; 0 where there is no futex
     */
    static int futexWake(long address, int count) {
        try {
            return (int)
                    (long) FUTEX_WAKE_CALL.invokeExact(CALLS.futex, address, FUTEX_WAKE, count);
        } catch (Throwable e) {
            throw new AssertionError("futex", e);
        }
    }

    /** {@return the id of the user who runs this process, or {@link #UNKNOWN_USER}} */
    static int userId() {
        try {
            return HAS_GETUID ? (int) GETUID_CALL.invokeExact() : UNKNOWN_USER;
        } catch (Throwable e) {
            throw new AssertionError("getuid", e);
        }
    }

    private static long timespec(MemorySegment time, long timeoutNs) {
        if (timeoutNs <= 0 || timeoutNs == Long.MAX_VALUE) {
            return 0;
        }
        time.set(JAVA_LONG, 0, timeoutNs / NANOS_PER_SECOND);
        time.set(JAVA_LONG, JAVA_LONG.byteSize(), timeoutNs % NANOS_PER_SECOND);
        return time.address();
    }

    private static void checkFutexErrno(int errno, long address) {
        // EAGAIN means that the value differed.
        if (errno != Errno.EAGAIN && errno != Errno.ETIMEDOUT && errno != EINTR) {
            throw new VerbsException("futex", errno, "address=0x" + Long.toHexString(address));
        }
    }

    /** Some sandboxes have the symbol but refuse the call. */
    private static boolean probeFutex() {
        try (Arena arena = Arena.ofConfined()) {
            return futexWake(arena.allocate(JAVA_INT).address(), 1) == 0;
        }
    }

    /** A handle for a call that is absent; the {@code HAS_} flags keep it from being called. */
    private static MethodHandle absent(FunctionDescriptor type) {
        return MethodHandles.empty(type.toMethodType());
    }

    // Restricted, because a wrong descriptor corrupts memory; this one takes and returns nothing
    // and is never called. It only finds out whether the symbol exists and native access is
    // allowed.
    @SuppressWarnings("restricted")
    private static boolean isCallable(String symbol) {
        try {
            Linker linker = Linker.nativeLinker();
            return linker.defaultLookup()
                    .find(symbol)
                    .map(address -> linker.downcallHandle(address, FunctionDescriptor.ofVoid()))
                    .isPresent();
        } catch (IllegalCallerException | UnsupportedOperationException e) {
            // Native access is denied, or this JVM has no linker. That is an answer, not a failure.
            return false;
        }
    }

    // Restricted, because a wrong descriptor corrupts memory; the few above are written by hand
    // from the manual pages, and each is tested.
    @SuppressWarnings("restricted")
    private static MethodHandle downcall(
            String symbol, FunctionDescriptor type, Linker.Option... options) {
        Linker linker = Linker.nativeLinker();
        MemorySegment address = linker.defaultLookup().find(symbol).orElseThrow();
        return linker.downcallHandle(address, type, options);
    }

    /** The memory of one waiting thread. It lives as long as the thread; a device has one. */
    private record Scratch(MemorySegment state, MemorySegment time) {
        static Scratch make() {
            Arena arena = Arena.global();
            return new Scratch(arena.allocate(CALL_STATE), arena.allocate(TIMESPEC));
        }
    }

    /** System call numbers, which differ by processor. */
    private record SystemCalls(long futex) {
        static SystemCalls of(String system, String processor) {
            return switch (system + "/" + processor) {
                case "Linux/amd64" -> new SystemCalls(202);
                case "Linux/aarch64" -> new SystemCalls(98);
                default -> new SystemCalls(-1);
            };
        }

        boolean known() {
            return futex > 0;
        }
    }
}
