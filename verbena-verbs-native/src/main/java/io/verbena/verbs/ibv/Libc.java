// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.ibv;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.invoke.MethodHandle;

/**
 * The functions of the C library that the provider needs, under their C names. All report a failure
 * by -1 and {@code errno}, which ends up in the given {@link NativeCall}.
 */
@SuppressWarnings("MemberName")
final class Libc {
    private static final NativeLibrary LIBRARY = NativeLibrary.system();
    private static final FunctionDescriptor INT_OF_INT = FunctionDescriptor.of(JAVA_INT, JAVA_INT);
    private static final MethodHandle EPOLL_CREATE1 =
            LIBRARY.capturing("epoll_create1", INT_OF_INT);
    private static final MethodHandle EPOLL_CTL =
            LIBRARY.capturing(
                    "epoll_ctl",
                    FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG));
    private static final MethodHandle EPOLL_WAIT =
            LIBRARY.capturing(
                    "epoll_wait",
                    FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_INT));
    private static final MethodHandle EVENTFD =
            LIBRARY.capturing("eventfd", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT));
    private static final FunctionDescriptor TRANSFER =
            FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG);
    private static final MethodHandle READ = LIBRARY.capturing("read", TRANSFER);
    private static final MethodHandle WRITE = LIBRARY.capturing("write", TRANSFER);
    private static final MethodHandle CLOSE = LIBRARY.capturing("close", INT_OF_INT);
    private static final MethodHandle FCNTL =
            LIBRARY.capturing(
                    "fcntl",
                    FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT),
                    Linker.Option.firstVariadicArg(2));
    private static final MethodHandle GETRLIMIT =
            LIBRARY.capturing("getrlimit", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG));

    private Libc() {}

    static int epoll_create1(NativeCall call, int flags) {
        try {
            return (int) EPOLL_CREATE1.invokeExact(call.state(), flags);
        } catch (Throwable e) {
            throw NativeLibrary.unexpected("epoll_create1", e);
        }
    }

    static int epoll_ctl(NativeCall call, int epoll, int operation, int descriptor, long event) {
        try {
            return (int) EPOLL_CTL.invokeExact(call.state(), epoll, operation, descriptor, event);
        } catch (Throwable e) {
            throw NativeLibrary.unexpected("epoll_ctl", e);
        }
    }

    /** Blocks the calling thread, and the carrier of a virtual thread: only for the watcher. */
    static int epoll_wait(NativeCall call, int epoll, long events, int max, int timeoutMs) {
        try {
            return (int) EPOLL_WAIT.invokeExact(call.state(), epoll, events, max, timeoutMs);
        } catch (Throwable e) {
            throw NativeLibrary.unexpected("epoll_wait", e);
        }
    }

    static int eventfd(NativeCall call, int value, int flags) {
        try {
            return (int) EVENTFD.invokeExact(call.state(), value, flags);
        } catch (Throwable e) {
            throw NativeLibrary.unexpected("eventfd", e);
        }
    }

    static long read(NativeCall call, int descriptor, long buffer, long length) {
        try {
            return (long) READ.invokeExact(call.state(), descriptor, buffer, length);
        } catch (Throwable e) {
            throw NativeLibrary.unexpected("read", e);
        }
    }

    static long write(NativeCall call, int descriptor, long buffer, long length) {
        try {
            return (long) WRITE.invokeExact(call.state(), descriptor, buffer, length);
        } catch (Throwable e) {
            throw NativeLibrary.unexpected("write", e);
        }
    }

    static int close(NativeCall call, int descriptor) {
        try {
            return (int) CLOSE.invokeExact(call.state(), descriptor);
        } catch (Throwable e) {
            throw NativeLibrary.unexpected("close", e);
        }
    }

    static int fcntl(NativeCall call, int descriptor, int command, int argument) {
        try {
            return (int) FCNTL.invokeExact(call.state(), descriptor, command, argument);
        } catch (Throwable e) {
            throw NativeLibrary.unexpected("fcntl", e);
        }
    }

    static int getrlimit(NativeCall call, int resource, long limit) {
        try {
            return (int) GETRLIMIT.invokeExact(call.state(), resource, limit);
        } catch (Throwable e) {
            throw NativeLibrary.unexpected("getrlimit", e);
        }
    }
}
