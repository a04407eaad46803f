// SPDX-License-Identifier: Apache-2.0
package io.verbena.tck;

/** Which kind of memory each side uses: a device may take another path for each combination. */
enum MemoryPlacement {
    USER_TO_USER(MemoryKind.USER, MemoryKind.USER),
    USER_TO_DEVICE(MemoryKind.USER, MemoryKind.DEVICE),
    DEVICE_TO_USER(MemoryKind.DEVICE, MemoryKind.USER),
    DEVICE_TO_DEVICE(MemoryKind.DEVICE, MemoryKind.DEVICE);

    private final MemoryKind initiator;
    private final MemoryKind target;

    MemoryPlacement(MemoryKind initiator, MemoryKind target) {
        this.initiator = initiator;
        this.target = target;
    }

    void applyTo(ConnectedPair.Builder builder, long regionBytes) {
        builder.initiator(side -> side.memory(initiator).regionBytes(regionBytes));
        builder.target(side -> side.memory(target).regionBytes(regionBytes));
    }
}
