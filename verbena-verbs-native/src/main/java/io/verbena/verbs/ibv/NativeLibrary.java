// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.ibv;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A shared library, found by name at run time, or the reason why it is absent. Once loaded, it
 * stays loaded until the process ends.
 *
 * <p>Asking an absent library for a function gives a handle that throws when called, so a class can
 * keep its handles in {@code static final} fields whatever is installed.
 */
final class NativeLibrary {
    private static final Linker.Option CAPTURE_ERRNO = Linker.Option.captureCallState("errno");

    private final String name;
    private final SymbolLookup symbols;
    private final Optional<String> problem;

    private NativeLibrary(String name, SymbolLookup symbols, Optional<String> problem) {
        this.name = name;
        this.symbols = symbols;
        this.problem = problem;
    }

    /** {@return the C library this process runs on} */
    static NativeLibrary system() {
        return new NativeLibrary("libc", Linker.nativeLinker().defaultLookup(), Optional.empty());
    }

    /**
     * {@return a library, found by the system's dynamic loader}
     *
     * @param soname its name, such as {@code libibverbs.so.1}
     */
    // Restricted, because loading a library runs its code; the caller names a well-known one.
    @SuppressWarnings("restricted")
    static NativeLibrary open(String soname) {
        try {
            SymbolLookup symbols = SymbolLookup.libraryLookup(soname, Arena.global());
            return new NativeLibrary(soname, symbols, Optional.empty());
        } catch (IllegalArgumentException e) {
            return absent(soname, soname + " is not installed; " + advice(soname));
        } catch (IllegalCallerException e) {
            return absent(
                    soname,
                    "native access is denied; start java with"
                            + " --enable-native-access=io.verbena.verbs.ibv");
        }
    }

    private static String advice(String soname) {
        String base = soname.substring(0, soname.indexOf(".so"));
        return "on Debian: apt install " + base + "1 ibverbs-providers";
    }

    private static NativeLibrary absent(String soname, String reason) {
        return new NativeLibrary(soname, symbol -> Optional.empty(), Optional.of(reason));
    }

    /** {@return why the library cannot be used, if so} */
    Optional<String> problem() {
        return problem;
    }

    boolean has(String symbol) {
        return symbols.find(symbol).isPresent();
    }

    /**
     * {@return a handle whose first argument is the segment that {@code errno} goes to, see {@link
     * NativeCall#state()}}
     *
     * @param symbol the function's name
     * @param type its result and arguments
     */
    MethodHandle capturing(String symbol, FunctionDescriptor type, Linker.Option... options) {
        List<Linker.Option> all = new ArrayList<>(List.of(options));
        all.add(CAPTURE_ERRNO);
        return handle(
                symbol,
                type,
                type.insertArgumentLayouts(0, ValueLayout.ADDRESS).toMethodType(),
                all);
    }

    /**
     * {@return a handle for a function that does not report through {@code errno}}
     *
     * @param symbol the function's name
     * @param type its result and arguments
     */
    MethodHandle plain(String symbol, FunctionDescriptor type, Linker.Option... options) {
        return handle(symbol, type, type.toMethodType(), List.of(options));
    }

    // Restricted, because a wrong descriptor corrupts memory; descriptors are written from the
    // headers, in Libc, Ibverbs and the binding of the connection manager, and nowhere else.
    @SuppressWarnings("restricted")
    private MethodHandle handle(
            String symbol, FunctionDescriptor type, MethodType shape, List<Linker.Option> options) {
        Optional<MemorySegment> address = symbols.find(symbol);
        if (address.isEmpty()) {
            return refusing(symbol, shape);
        }
        try {
            return Linker.nativeLinker()
                    .downcallHandle(address.get(), type, options.toArray(Linker.Option[]::new));
        } catch (IllegalCallerException e) {
            return refusing(symbol, shape);
        }
    }

    private MethodHandle refusing(String symbol, MethodType shape) {
        String reason = problem.orElse(name + " has no function " + symbol);
        MethodHandle thrower =
                MethodHandles.throwException(
                        shape.returnType(), UnsupportedOperationException.class);
        MethodHandle bound =
                MethodHandles.insertArguments(
                        thrower, 0, new UnsupportedOperationException(reason));
        return MethodHandles.dropArguments(bound, 0, shape.parameterList());
    }

    /**
     * {@return a handle that calls a function by its address, the handle's first argument; for the
     * functions of {@code ibv_context.ops}}
     *
     * @param type the function's result and arguments
     */
    // Restricted, because a wrong descriptor or address corrupts memory.
    @SuppressWarnings("restricted")
    static MethodHandle pointer(FunctionDescriptor type, Linker.Option... options) {
        return Linker.nativeLinker().downcallHandle(type, options);
    }

    /**
     * {@return what to throw when {@code invokeExact}, which declares any exception, fails}
     *
     * @param symbol what was called
     * @param failure what it threw
     */
    static AssertionError unexpected(String symbol, Throwable failure) {
        if (failure instanceof UnsupportedOperationException absent) {
            throw absent;
        }
        return new AssertionError(symbol, failure);
    }
}
