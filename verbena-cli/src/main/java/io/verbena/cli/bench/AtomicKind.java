// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.bench;

/** Which atomic {@code atomic_lat} measures; the names are perftest's. */
enum AtomicKind {
    FETCH_AND_ADD,
    CMP_AND_SWAP
}
