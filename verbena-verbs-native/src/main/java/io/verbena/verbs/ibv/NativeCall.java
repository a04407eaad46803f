// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.ibv;

import io.verbena.verbs.VerbsException;
import java.lang.foreign.Arena;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * The memory for calls to C within one control operation: where the linker saves {@code errno}, and
 * room for arguments. Used by one thread, from {@link #begin} to {@link #close}; posting and
 * polling need none.
 */
final class NativeCall implements AutoCloseable {
    private static final StructLayout STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO =
            STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));

    private final Arena arena;
    private final MemorySegment state;

    private NativeCall(Arena arena) {
        this.arena = arena;
        this.state = arena.allocate(STATE);
    }

    /** {@return the memory of one control operation, for this thread alone} */
    static NativeCall begin() {
        return new NativeCall(Arena.ofConfined());
    }

    /** {@return where {@code errno} goes: the first argument of every capturing handle} */
    MemorySegment state() {
        return state;
    }

    /** {@return {@code errno} as the last call with {@link #state()} left it} */
    int errno() {
        return (int) ERRNO.get(state, 0L);
    }

    /** {@return zeroed memory for a structure} */
    MemorySegment allocate(CStruct struct) {
        return struct.allocate(arena);
    }

    /** {@return zeroed memory for one pointer or any other eight bytes} */
    MemorySegment allocateWord() {
        return arena.allocate(Long.BYTES, Long.BYTES);
    }

    /** {@return the owner of the memory} */
    Arena arena() {
        return arena;
    }

    /**
     * {@return the failure of a verb that reports through {@code errno}}
     *
     * @param verb the C name
     * @param detail the arguments that matter and what to do
     */
    VerbsException failure(String verb, String detail) {
        return new VerbsException(verb, errno(), detail);
    }

    /**
     * Checks the result of a verb that returns 0 or an error number.
     *
     * @param verb the C name
     * @param result what it returned; some drivers return the negative number
     * @param detail the arguments that matter and what to do
     */
    static void check(String verb, int result, String detail) {
        if (result != 0) {
            throw new VerbsException(verb, Math.abs(result), detail);
        }
    }

    @Override
    public void close() {
        arena.close();
    }
}
