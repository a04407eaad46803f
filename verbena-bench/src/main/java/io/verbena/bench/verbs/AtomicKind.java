// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.verbs;

/** Which atomic {@code atomic_lat} measures; the names are perftest's. */
public enum AtomicKind {
    /** Adds 1. */
    FETCH_AND_ADD,
    /** Replaces the value with the next number. */
    CMP_AND_SWAP
}
